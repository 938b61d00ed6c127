"""A day is found in whatever form a question and the documents give it."""

import pytest
from ingest_runs import collection_of

from rag.question.dates import MOST_FORMS, with_dates

LOG = "# Log\n\n## 2026-05-24\n\nThe heron sang.\n\n## 2025-03-05\n\nThe weir froze.\n"
LETTER = "The keeper wrote on 7 August 2024 that the bell was cracked.\n"
FILES = {"log.md": LOG, "letter.md": LETTER}


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("what happened on 24 May 2026?", "2026-05-24"),
        ("log of the 24th of May", "2026-05-24"),
        ("log May 24, 2026", "2026-05-24"),
        ("log 24/05/2026", "2026-05-24"),
        ("what was on 24.5.2026.", "2026-05-24"),
        ("log 5/24/2026", "2026-05-24"),
        ("what froze on Mar. 5th?", "2025-03-05"),
        ("who wrote on 2024-08-07?", "7 August 2024"),
        ("who wrote on 07/08/2024?", "7 August 2024"),
    ],
)
def test_a_day_is_searched_in_the_form_that_the_collection_holds(session, question, form):
    assert with_dates(question, session.reader) == f"{question} ({form})"


@pytest.mark.parametrize(
    "question",
    [
        "what happened on 25 May 2026?",
        "what happened on 24 May 2025?",
        "what happened in May 2026?",
        "31 February",
        "99/99/2026",
        "version 24.05.2026.1",
        "who wrote on 7 August 2024?",
        "what was noted on 2026-05-24?",
    ],
)
def test_what_the_collection_does_not_hold_is_not_added(session, question):
    assert with_dates(question, session.reader) == question


def test_a_context_is_kept_and_few_forms_are_added(tmp_path, session):
    asked = "and on 24 May 2026? (the log)"
    assert with_dates(asked, session.reader) == "and on 24 May 2026? (the log 2026-05-24)"
    diary = "".join(f"## {year}-05-24\n\nRain.\n\n" for year in range(2000, 2027))
    many = with_dates("what fell on 24 May?", collection_of(tmp_path, {"diary.md": diary}))
    assert many.count("-05-24") == MOST_FORMS
    assert "2026-05-24" in many


def test_a_day_is_answered_and_its_form_is_not_shown(session):
    answer = session.ask("What happened on 24 May 2026?")
    assert answer["answer"].startswith("The heron sang.")
    assert answer["standalone_question"] == answer["question"]
