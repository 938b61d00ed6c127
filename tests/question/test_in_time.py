"""A long, hostile question is read in time by whatever reads questions."""

import pytest
from in_time import cpu_within
from turn_samples import history_turn

from rag.question.dates import with_dates
from rag.question.followup import stand_alone
from rag.question.parts import read_parts
from rag.question.small_talk import small_talk

WORDS = ["it ", "so ", "when it ", "no, ", "what is ", "who did ", "is ", "ok "]
SIGNS = ["(", "a", "ж", "- ", "a.", "1", "?"]
DATES = ["1 may ", "1/1/", "may 1 ", "1st of ", "2026-01-01 "]


@pytest.mark.parametrize("piece", [*WORDS, *SIGNS, *DATES])
def test_a_long_question_is_read_in_time(piece, railway):
    def text(size: int) -> str:
        return piece * (size // len(piece))

    with cpu_within(1):
        assert not small_talk(text(60_000))
    with cpu_within(2):
        stand_alone(text(20_000), [history_turn(text(20_000), text(40_000))])
    with cpu_within(2):
        read_parts(f"What is the {'a' * 1_000}( {text(18_000)} and where is it?", railway)
    with cpu_within(1):
        with_dates(text(18_000), railway)
