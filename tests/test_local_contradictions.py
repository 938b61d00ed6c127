# ruff: noqa: E501
import pytest
from memory_collection import MemoryCollection

from rag.engines.local.answer import generate
from rag.engines.local.values import agree
from rag.engines.local.wording import DISAGREE
from rag.engines.protocol import GenerateRequest


def told(question, *texts):
    reader = MemoryCollection({f"{n}.md": text for n, text in enumerate(texts)})
    passages = [reader.passage(source, n) for n, source in enumerate(reader.sources, start=1)]
    return generate(GenerateRequest(question, passages, ()), str, reader).text


@pytest.mark.parametrize(
    ("question", "one", "other", "values"),
    [
        (
            "How long is the Corbel Tunnel?",
            "The Corbel Tunnel is 386 m long.",
            "# Corbel Tunnel\n\nWe measured the tunnel again. With the new laser, it is 391 m from end to end.",
            ["386 m", "391 m"],
        ),
        (
            "How many visitors did the museum have in 2023?",
            "In 2023 the museum had 61,400 visitors.",
            "Museum: visitors in 2023 had numbered 58,900 by the tickets sold.",
            ["61,400", "58,900"],
        ),
        (
            "How old must footplate trainees be?",
            "Trainees on the footplate must be at least eighteen years old.",
            "Footplate trainees may start at sixteen with their parents' consent.",
            ["eighteen", "sixteen"],
        ),
        (
            "When did the line open to Osmer?",
            "The line opened to Osmer on 14 June 1897.",
            "On 4 June 1897 the line was opened to Osmer with a band.",
            ["14 June", "on 4 June"],
        ),
        (
            "Are dogs allowed in the museum?",
            "Dogs are allowed in the museum.",
            "Dogs are not allowed in the museum.",
            ["are allowed", "are not allowed"],
        ),
    ],
)
def test_both_values_are_said_and_cited(question, one, other, values):
    text = told(question, one, other)
    assert text.startswith(DISAGREE)
    assert "[1]" in text
    assert "[2]" in text
    assert all(value.lower() in text.lower() for value in values)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (  # other years
            "How many visitors did the museum have?",
            "In 2022 the museum had 61,400 visitors.",
            "In 2023 the museum had 58,900 visitors.",
        ),
        (  # another subject
            "How long is the Corbel Tunnel?",
            "The Corbel Tunnel is 386 m long.",
            "The Gill Tunnel is 164 m long.",
        ),
        (  # for others
            "How much is a ticket to Osmer?",
            "A ticket to Osmer costs £11 for adults.",
            "A ticket to Osmer costs £5 for children.",
        ),
        (  # rounded
            "How long is the line to Osmer?",
            "The line to Osmer is 17.4 km long.",
            "The line to Osmer is 17 km long.",
        ),
        (  # said as a guess
            "How many bats live in the tunnel?",
            "There live 31 bats in the tunnel.",
            "About thirty bats live in the tunnel.",
        ),
        (  # each of several has its own
            "Which tunnel is the longest?",
            "The Corbel Tunnel is 386 m long, a long tunnel.",
            "The Gill Tunnel is 164 m long, a long tunnel.",
        ),
    ],
)
def test_what_is_no_contradiction_is_not_called_one(question, one, other):
    assert DISAGREE not in told(question, one, other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("17.4", "17", True),
        ("17.4", "18", False),
        ("~30", "31", True),
        ("38.6 million", "38600000", True),
        ("2 million", "2000 thousand", True),
        ("4 june", "14 june", False),
    ],
)
def test_values_agree_up_to_their_rounding(one, other, same):
    assert agree(frozenset({one}), frozenset({other})) is same
