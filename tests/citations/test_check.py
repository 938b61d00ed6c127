"""What becomes of a part by its quotes: verified, unverified or contradicted; how it is shown."""

import pytest
from openai_samples import chunk_of, document_of

from rag.citations.check import check_draft, doubtful_parts, with_verdicts

SAYS = "Restic says that a lock older than 30 minutes is stale since 0.17.1."
LOCKS = {**chunk_of("locks", SAYS), "heading": "Changes > 2.14.0"}
TEA = chunk_of("tea", "Green tea is steeped for two minutes, at 80 degrees, by Ada Lorne.")
CONTEXT = [document_of(1, LOCKS), document_of(2, TEA)]
STALE = (1, "a lock older than 30 minutes is stale")


def part(text: str, *quotes: tuple[int, str], before: str = " "):
    told = [{"document": number, "quote": quote} for number, quote in quotes]
    return {"before": before, "text": text, "quotes": told, "located": []}


def checked(*parts, question=""):
    return check_draft(parts, CONTEXT, question)


def test_a_part_whose_quote_stands_and_holds_its_numbers_is_verified():
    found = checked(part("Locks are stale after 30 minutes.", STALE))
    assert found.text == "Locks are stale after 30 minutes [1]."
    (citation,) = found.citations
    assert citation["quote"] == STALE[1]
    assert (citation["anchor"], citation["start_line"]) == ("line 1", 1)
    assert citation["support"] == "verbatim"
    assert found.claims[0]["verdict"] == "verified"


NOT_FOUND = "no quote of it was found"


@pytest.mark.parametrize("quotes", [(), ((2, STALE[1]),), ((1, "locks are eternal"),)])
def test_a_part_without_a_located_quote_is_shown_and_says_so(quotes):
    found = checked(part("Locks are stale.", *quotes))
    assert found.claims[0]["reason"] == NOT_FOUND
    assert found.text == "Locks are stale (no quote found)."
    assert (found.citations, found.claims[0]["verdict"]) == ([], "unverified")


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("Use `--remove-all` on a stale lock.", "--remove-all"),
        ("It is stale, says Borg, at last.", "Borg"),
        ("It was so from 0.16.2 on: stale.", "0.16.2"),
        ("Le verrou de la soci\u00e9t\u00e9 est \u00e0 Toulouse, et il est stale.", "Toulouse"),
    ],
)
def test_a_name_that_its_quote_does_not_say_is_not_verified_and_costs_no_marker(text, lacking):
    found = checked(part(text, STALE))
    assert found.claims[0]["verdict"] == "unverified"
    assert lacking in found.claims[0]["reason"]
    assert "[1]" in found.text
    assert found.claims[0]["citations"] == [1]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("For Borg 1.2 it is stale.", "And with Borg 1.2?"),
        ("Behind `--` a lock `|` is stale, with 128KB of files.", "Of 128 kB?"),
        ("It is stale, e.g. after 30 minutes, i.e. `lock=true`.", ""),
        ("Nach 30 Minuten ist die Sperre veraltet.", "Wann ist die Sperre veraltet?"),
        ("It came in 2.14.0.", ""),
    ],
)
def test_what_the_question_says_signs_and_units_need_not_be_quoted(text, question):
    assert checked(part(text, STALE), question=question).claims[0]["verdict"] == "verified"


@pytest.mark.parametrize(
    "question", ["make it stale after an hour and 20 minutes", "stale in half the time?"]
)
def test_a_number_that_the_question_asks_for_is_no_contradiction(question):
    (claim,) = checked(part("A lock is stale after 21 minutes.", STALE), question=question).claims
    assert claim["verdict"] == "unverified"
    for other in ("in 2024?", "of 2 people, by section 4?"):
        (claim,) = checked(part("A lock is stale after 21 minutes.", STALE), question=other).claims
        assert claim["verdict"] == "contradicted"


def test_a_question_back_claims_nothing():
    found = checked(part("Which of the two do you mean?"))
    assert (found.text, found.claims) == ("Which of the two do you mean?", [])


def test_a_place_has_one_number_however_often_it_is_cited():
    again = [STALE, (2, "Green tea is"), STALE]
    found = checked(part("It is stale.", STALE), part("Really.", *again))
    assert found.text == "It is stale [1]. Really [1][2]."
    assert [(c["marker"], c["quote"]) for c in found.citations] == [(1, STALE[1]), (2, again[1][1])]


CODE = "```\nrm lock\n```"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("| a | b |", "| a | b [1] |"), (CODE, f"{CODE}\n[1]"), ("- stale", "- stale [1]")],
)
def test_markers_stand_where_they_break_no_markdown(text, shown):
    assert checked(part(text, STALE)).text == shown


DOUBTFUL = (
    part("It is stale after 30 minutes.", STALE, before=""),
    part("It is so, says Borg.", STALE),
    part("Tea is steeped by Earl.", (2, "Green tea is steeped for two minutes")),
    part("It was loved."),
)


def test_only_what_is_in_doubt_is_asked_about_with_its_passages():
    found = checked(*DOUBTFUL)
    asked = {1: (DOUBTFUL[1]["text"], LOCKS["text"]), 2: (DOUBTFUL[2]["text"], TEA["text"])}
    assert doubtful_parts(found) == asked
    assert doubtful_parts(checked(DOUBTFUL[0])) == {}


def test_a_model_may_rescue_and_deny_and_without_a_verdict_all_stays():
    found = checked(*DOUBTFUL)
    assert with_verdicts(found, ()) == found
    said = with_verdicts(found, (True, False))
    shown = "It is stale after 30 minutes [1]. It is so, says Borg [1]. It was loved"
    assert said.text == f"{shown} (no quote found)."
    assert said.dropped == ["Tea is steeped by Earl."]
    assert ["model" in claim["reason"] for claim in said.claims] == [False, True, True, False]
