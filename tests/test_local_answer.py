# ruff: noqa: E501
import pytest
from memory_collection import MemoryCollection

from rag.answering.citations import check
from rag.answering.question import AnswerKind, analyse, parts
from rag.answering.refine import refine
from rag.engines.local.answer import generate
from rag.engines.local.wording import LONGEST
from rag.engines.protocol import GenerateRequest

LINE = {
    "tunnel.md": "The Corbel Tunnel is 386 m long. The Corbel Tunnel was dug between 1889 and 1893 by "
    "Tolland's men. Water drips from the roof in spring.[2] Moss grows on the portal.",
    "inspection.md": "Report of the inspection in March. We walked the whole tunnel. The Corbel Tunnel is "
    "391 m long. About thirty bats live in it. The lining is sound.",
    "fleet.md": "The fleet in traffic:\n\n| Engine | Seats | Built |\n|---|---|---|\n| Swift | 38 | 1921 |\n"
    "| Boggart | 12 | 1899 |\n\nAll engines are kept in the depot at Langrigg.",
    "fares.md": "# Fares\n\n- A day rover ticket costs £34.00.\n- Dogs travel free of charge.\n\nTickets are "
    "sold at Hollin Bridge. Snow closes the rack section because the pinion teeth may ice over.",
}


@pytest.fixture(scope="module")
def reader():
    return MemoryCollection(LINE)


def answered(question, reader, sources=None):
    chunks = [reader.chunk(source) for source in sources or LINE]
    passages = refine(question, chunks, {}, reader)
    said = []
    drafted = generate(GenerateRequest(question, passages, ()), said.append, reader)
    assert "".join(said) == drafted.text
    return check(drafted.text, passages, reader)


def test_the_answer_is_the_sentence_with_a_marker_and_a_quote(reader):
    checked = answered("How much does a day rover ticket cost?", reader)
    assert checked.text.startswith("A day rover ticket costs £34.00 [1].")
    assert checked.citations[0]["quote"] == "- A day rover ticket costs £34.00."
    assert checked.citations[0]["source"] == "fares.md"
    assert not checked.unsupported


def test_a_table_row_is_told_with_its_columns(reader):
    checked = answered("How many seats does the Swift have?", reader, ["fleet.md"])
    assert "Engine: Swift; Seats: 38; Built: 1921 [1]" in checked.text
    assert checked.citations[0]["quote"] == "| Swift | 38 | 1921 |"


def test_two_questions_get_a_sentence_each(reader):
    checked = answered(
        "When was the Corbel Tunnel dug, and how much does a day rover cost?", reader
    )
    assert "between 1889 and 1893" in checked.text
    assert "£34.00" in checked.text


def test_sources_that_disagree_are_both_cited(reader):
    checked = answered("How long is the Corbel Tunnel?", reader, ["tunnel.md", "inspection.md"])
    assert checked.text.startswith("The sources disagree: ")
    assert {c["source"] for c in checked.citations} == {"tunnel.md", "inspection.md"}
    assert "386 m" in checked.text
    assert "391 m" in checked.text


def test_sources_that_agree_are_not_said_to_disagree():
    same = MemoryCollection(
        {"a": LINE["tunnel.md"], "b": "It is 386 m (1,266 ft) long, the Corbel Tunnel."}
    )
    chunks = [same.chunk("a"), same.chunk("b")]
    passages = refine("How long is the Corbel Tunnel?", chunks, {}, same)
    text = generate(GenerateRequest("How long is the Corbel Tunnel?", passages, ()), str, same).text
    assert "386 m" in text
    assert "disagree" not in text


@pytest.mark.parametrize(
    "question",
    ["Who won the Nobel Prize in Literature in 1998?"],
)
def test_a_foreign_question_gets_no_answer(question, reader):
    assert answered(question, reader).text == ""


def test_notes_of_a_source_are_not_taken_for_markers(reader):
    checked = answered("When does water drip from the roof?", reader, ["tunnel.md"])
    assert "Water drips from the roof in spring [" in checked.text
    assert "[2]." not in checked.text or len(checked.citations) > 1


def test_a_long_sentence_is_cut_and_still_word_for_word():
    listing = ", ".join(f"the hamlet of Number{n} with its {n} barns and a well" for n in range(20))
    text = f"The parish of Osmer holds {listing}. It rains."
    reader = MemoryCollection({"parish": text})
    checked = answered("What does the parish of Osmer hold?", reader, ["parish"])
    assert "…" in checked.text
    assert len(checked.text) < LONGEST + 120
    assert checked.citations[0]["support"] == "verbatim"


def test_nothing_given_nothing_said(reader):
    assert generate(GenerateRequest("How long?", [], ()), str, reader).text == ""
    assert generate(GenerateRequest("", [], ()), str, reader).text == ""


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who built the viaduct?", AnswerKind.PERSON),
        ("In what year did the line open?", AnswerKind.DATE),
        ("When did the man who built it die?", AnswerKind.DATE),
        ("What happens when it snows?", AnswerKind.NAME),
        ("Where is the depot?", AnswerKind.PLACE),
        ("Which city is the depot in?", AnswerKind.PLACE),
        ("How many arches are there?", AnswerKind.NUMBER),
        ("What is the height of the viaduct?", AnswerKind.NUMBER),
        ("Why was it closed?", AnswerKind.REASON),
        ("What is the reason for the closure?", AnswerKind.REASON),
        ("How are washouts done?", AnswerKind.MANNER),
        ("Are dogs allowed?", AnswerKind.YES_NO),
        ("List the engines", AnswerKind.LIST),
        ("What is a wallower?", AnswerKind.DEFINITION),
        ("0-dimensional biomaterials lack inductive properties.", AnswerKind.OTHER),
    ],
)
def test_what_a_question_asks_for(question, kind):
    assert analyse(question).kind is kind


def test_the_parts_of_a_question():
    assert parts("How long is it, and who built it?") == ["How long is it", "who built it?"]
    assert parts("What do bread and butter cost?") == ["What do bread and butter cost?"]
    assert len(parts("Who? " * 500)) < 500
