"""Two files that say the same of one thing but for a number: both are quoted, and it is said."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session
from state.settings import load_settings

DAY = datetime(2023, 5, 1, 12, tzinfo=UTC).timestamp()
FILES = {
    "now.txt": "The crocks of the lower loft are kept for 14 days.\n\nNobody sweeps the floor.\n",
    "then.txt": "The crocks of the lower loft are kept for 7 days. It burned down.\n",
    "doors.txt": "The doors of the barn are opened at 6 in the morning.\n",
    "cellar.txt": "The wheels of the cellar are turned within 9 hours.\n\nIt is damp.\n",
    "policy.txt": "6. What is never insured\n\nWear, rust and moths.\n",
    "lease.txt": "9. Insurance\n\nThe landlord sees to it.\n",
    "copy.txt": "Of the cellar. The wheels of the cellar are turned within 9 hours.\n",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    home, docs = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("docs")
    for name, text in FILES.items():
        (docs / name).write_text(text)
        os.utime(docs / name, (DAY, DAY))
    settings = load_settings({"home": home, "engine": "local"})
    ingest(settings, build_embedder(settings), [str(docs)])
    with open_session(settings) as session:
        yield session


def disagreements(answer):
    return [line for line in answer["warnings"] if line.startswith("Sources disagree")]


def test_both_values_are_told_with_their_files_and_dates(session):
    answer = session.ask("How long are the crocks of the lower loft kept?")
    assert {"now.txt", "then.txt"} <= {each["source"] for each in answer["citations"]}
    (line,) = disagreements(answer)
    ends = {
        "now.txt (2023-05-01) says 14 days, then.txt (2023-05-01) says 7 days.",
        "then.txt (2023-05-01) says 7 days, now.txt (2023-05-01) says 14 days.",
    }
    assert line.removeprefix("Sources disagree: ") in ends


@pytest.mark.parametrize(
    "question",
    [
        "Within how many hours are the wheels of the cellar turned?",
        "When are the doors of the barn opened? Within how many hours are the wheels turned?",
    ],
)
def test_the_same_value_or_one_of_another_thing_is_no_disagreement(session, question):
    answer = session.ask(question)
    assert len({each["source"] for each in answer["citations"]}) > 1
    assert not disagreements(answer)


def test_two_sentences_of_few_words_do_not_speak_of_one_thing(session):
    answer = session.ask("What is the number of the insurance?")
    assert {"policy.txt", "lease.txt"} <= {each["source"] for each in answer["citations"]}
    assert disagreements(answer) == []
