"""What the local engine answers with: passages as they stand, each cited."""

import re

import pytest
from ingest_runs import session_of

from rag.engines.local.answer import generate
from rag.question.parse import parse_question
from rag.reading.reranker import Reranker
from rag.reading.snippets import shown_snippets
from state.graph_state import GraphState, fresh

MANUAL = """# Pump

The pump lifts water from the sump to the tank. It was fitted by the firm of
Orrin and Daughters.

## Starting

Prime it first. Then, from the console, run:

```console
$ pumpctl start --from sump | tee start.log
```

The needle settles in about forty seconds.

## Stopping

Close the bleed valve, then press the red button twice.
"""
ROWS = "\n".join(f"V{n:03d},brass,{n * 3} mm" for n in range(1, 400))
PUMPS = {"pump.md": MANUAL, "valves.csv": f"valve,metal,bore\n{ROWS}\n"}
NOTES = """# Steam

The boiler weighs 40 tonnes [2][99]. This document does not say who built the boiler.

Is your boiler drained for the winter?
"""
SCRIPT = """# The frobnicator daemon is started by this script.
frobnicate --daemon --pid /run/frob.pid
echo "The frobnicator daemon has started."
"""
STAFF = "# Staff\n\nThe keeper of the tank is Ines Marrow. She has the key to the pump house.\n"
FILES = {"frob.sh": SCRIPT, "steam.md": NOTES, "staff.md": STAFF, **PUMPS}


def of_source(answer, name):
    return next(c for c in answer["citations"] if c["source"].endswith(name))


def test_a_command_is_quoted_with_what_introduces_it_and_whole_on_demand(session, monkeypatch):
    answer = session.ask("How do I start the pump?")
    assert "\n    $ pumpctl start --from sump | tee start.log\n" in answer["answer"]
    assert "Then, from the console, run:" in answer["answer"]
    monkeypatch.setattr(session, "settings", session.settings.model_copy(update={"full": True}))
    blocks = session.ask("How do I start the pump?")
    passages = [each["passage"] for each in answer["citations"]]
    assert [each["shown"] for each in blocks["citations"]] == passages


def test_an_answer_that_begins_with_code_keeps_all_of_its_lines_set_in(session):
    answer = session.ask("What says that the frobnicator daemon has started?")
    code = answer["answer"].partition("\n[1]")[0]
    assert code.splitlines() == [f"    {line}" for line in SCRIPT.splitlines()]


def test_every_word_shown_stands_in_a_cited_passage_and_every_passage_in_its_file(session):
    for question in ("How do I stop the pump?", "Who is the keeper?", "Who fitted the pump?"):
        answer = session.ask(question)
        assert answer["status"] == "answered"
        passages = " ".join(citation["passage"] for citation in answer["citations"])
        for claim in answer["claims"]:
            assert claim["verdict"] == "verified"
            assert set(claim["text"].split()) <= set(passages.split())
        for citation in answer["citations"]:
            text = session.reader.document_text(citation["source"])
            assert citation["passage"] in text
            assert text[citation["start_char"] : citation["end_char"]] == citation["quote"]
            assert citation["quote"] in citation["passage"]
            assert citation["support"] == "verbatim"


def test_wrapped_lines_are_joined_in_the_answer_and_not_in_the_passage(session):
    answer = session.ask("Which firm fitted the pump?")
    assert "the firm of Orrin and Daughters." in answer["answer"]
    assert "the firm of\nOrrin and Daughters." in of_source(answer, "pump.md")["passage"]


def test_a_question_with_two_parts_is_answered_part_by_part(session):
    answer = session.ask("Which firm fitted the pump, and who is the keeper of the tank?")
    assert answer["status"] == "answered"
    shown = answer["answer"]
    assert shown.index("Orrin and Daughters") < shown.index("Ines Marrow")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ("who won the football world cup?", "who won the football world cup?"),
        ("who painted the tank?", "Not sure that the documents answer “who painted the tank?”."),
    ],
)
def test_a_part_without_a_sure_answer_is_named(session, other, told):
    answer = session.ask(f"Who is the keeper of the tank, and {other}")
    assert answer["status"] == "partial"
    assert "Ines Marrow" in answer["answer"]
    (warning,) = answer["warnings"]
    assert told in warning


def test_a_long_question_is_not_repeated_whole(session):
    long = f"who won the football world cup {'in the rain ' * 300}?"
    answer = session.ask(f"Who is the keeper of the tank, and {long}")
    assert len(answer["warnings"][0]) < 300
    assert len(session.ask(long)["answer"]) < 1500


def test_a_refusal_repeats_what_was_typed(session):
    session.ask("How do volcanoes erupt?", thread="typed")
    refused = session.ask("and do they sing?", thread="typed")
    assert "volcanoes" in refused["standalone_question"]
    assert "“and do they sing?”" in refused["answer"]


def test_note_signs_of_a_document_are_not_taken_for_markers(session):
    answer = session.ask("How much does the boiler weigh?")
    assert answer["status"] == "answered"
    assert "40 tonnes" in answer["answer"]
    markers = {int(found) for found in re.findall(r"\[(\d+)\]", answer["answer"])}
    assert markers == {citation["marker"] for citation in answer["citations"]}
    assert "40 tonnes [2][99]" in of_source(answer, "steam.md")["passage"]


def test_an_answer_of_what_is_merely_nearest_says_so(session, tmp_path):
    chunks = session.reader.search("the pump", 3)
    question = parse_question("the pump", session.reader)
    passages = shown_snippets(question, chunks, Reranker(tmp_path), session.reader)
    part = {"question": question, "pool": chunks, "in_domain": None}
    state = fresh(GraphState, parts=[part], passages=[passages])
    for confidence, warnings in ((0.01, 1), (0.9, 0), (None, 0)):
        grade = {"relevant": True, "confidence": confidence}
        found = generate({**state, "grades": {"a": grade}}, lambda _: None)
        assert len(found.warnings) == warnings
        assert found.complete is not bool(warnings)


def test_a_document_that_is_asked_for_by_its_number_is_believed_to_answer(tmp_path):
    texts = {
        f"pep-0{number}.rst": f"PEP: {number}\nTitle: Harbour Rules, Part {number - 100}\n"
        f"Author: Ines Marrow {number} <ines@harbour.example>\nCreated: 5-Jul-2001\n\n"
        "Abstract\n========\n\nA horn is blown twice in fog.\n"
        for number in range(101, 161)
    }
    with session_of(tmp_path, texts) as session:
        answer = session.ask("whose idea was it? (PEP 112)")
    assert answer["status"] == "answered"
    assert answer["citations"][0]["source"] == "pep-0112.rst"
    assert "Author: Ines Marrow 112" in answer["answer"]


@pytest.mark.parametrize(
    ("question", "near"),
    [
        ("What is the notice period?", ["lease.md"]),
        ("How do volcanoes erupt?", []),
        ("Which parquet files does the debugger export?", []),
    ],
)
def test_a_refusal_shows_only_what_may_be_about_the_question(tmp_path, question, near):
    texts = {
        "lease.md": "# Repairs\n\nThe tenant repaints the doors every two years. The landlord "
        "repairs the roof. Notice to quit is six months and must be given in writing.\n",
        "club.md": "# Club\n\nThe regatta takes place in May; juniors sail free.\n",
        **PUMPS,
    }
    with session_of(tmp_path, texts) as session:
        answer = session.ask(question)
        for cited in answer["nearest"]:
            text = session.reader.document_text(cited["source"])
            assert text[cited["start_char"] : cited["end_char"]] == cited["quote"]
    assert (answer["status"], answer["citations"], answer["claims"]) == ("abstained", [], [])
    assert ("was found in the documents" in answer["answer"]) is not bool(near)
    if near:
        assert [each["source"] for each in answer["nearest"]] == near
