# ruff: noqa: E501
import pytest
from memory_collection import MemoryCollection

from rag.answering.candidates import candidates
from rag.answering.question import AnswerKind, analyse, parts
from rag.answering.refine import refine
from rag.citations.check import check
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
    return check(drafted.claims, passages, reader, [reader.chunk(p["source"]) for p in passages])


def test_the_answer_is_the_sentence_with_a_marker_and_a_quote(reader):
    checked = answered("How much does a day rover ticket cost?", reader)
    assert checked.text.startswith("A day rover ticket costs £34.00 [1].")
    assert checked.citations[0]["quote"] == "- A day rover ticket costs £34.00."
    assert checked.citations[0]["source"] == "fares.md"
    assert not checked.dropped


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
    assert checked.citations[0]["support"] != "unsupported"


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


VISIT = {
    "faq.md": "# Questions\n\n### May I fly a drone?\n\nNo. The rescue helicopter uses the valley.\n\n"
    "### Is there somewhere to park?\n\nThere are 120 spaces, £4 a day, and six bays for coaches.\n\n"
    "### When can I eat?\n\nThe kitchen serves soup from nine to five.\n",
    "rules.md": "# The store\n\n## Rules of the store\n\nKeep these in mind:\n\n- Every tool is signed for.\n"
    "- Broken tools go in the yellow bin.\n- Nobody works alone.\n\nThe store stands by the gate.\n",
    "cups.csv": "Cups\nTeam | Town | Cups\nBlues | STL | 1\nFlyers | PHI | 2\nLeafs | TOR | 13\n",
    "plan.rst": "Assembly\n========\n\n============= ==================\nplace         assembly point\n"
    "============= ==================\nLangrigg      turntable\nTarren        inside the hut\n"
    "============= ==================\n",
    "drinks.html": "# Drinks\n\nCoffee\n: Black hot drink\n\nMilk\n: White cold drink\n",
}


@pytest.fixture(scope="module")
def visit():
    return MemoryCollection(VISIT)


def whole(question, reader, source):
    passages = [reader.passage(source, 1)]
    drafted = generate(GenerateRequest(question, passages, ()), str, reader)
    return check(drafted.claims, passages, reader, [reader.chunk(p["source"]) for p in passages])


def test_a_sentence_is_read_under_its_heading(visit):
    checked = whole("How many spaces are there to park?", visit, "faq.md")
    assert checked.text == "There are 120 spaces, £4 a day, and six bays for coaches [1]."
    drone = whole("May visitors fly a drone?", visit, "faq.md")
    assert drone.text == "The rescue helicopter uses the valley [1]."


def test_a_question_in_the_text_is_no_answer(visit):
    assert "?" not in whole("When can I eat?", visit, "faq.md").text


def test_a_list_asked_for_is_given_whole(visit):
    text = whole("What are the rules of the store?", visit, "rules.md").text
    assert "Every tool is signed for [1]." in text
    assert "yellow bin" in text
    assert "Nobody works alone" in text
    assert "gate" not in text


def test_a_row_is_told_with_the_head_under_a_title(visit):
    checked = whole("How many cups do the Flyers have?", visit, "cups.csv")
    assert checked.text == "Team: Flyers; Town: PHI; Cups: 2 [1]."


def test_a_table_set_by_spaces_is_read_by_rows(visit):
    text = whole("Where do people assemble at Langrigg?", visit, "plan.rst").text
    assert "Langrigg turntable" in text
    assert "place assembly point" not in text


def test_a_definition_is_said_with_its_term(visit):
    checked = whole("What is coffee?", visit, "drinks.html")
    assert checked.text == "Coffee: Black hot drink [1]."
    assert checked.citations[0]["support"] != "unsupported"


def test_markup_is_not_said():
    reader = MemoryCollection(
        {"a": "See the **main valve** in [the plan](plan.md)<!-- x --> of the boiler house."}
    )
    checked = whole("Where is the main valve of the boiler house?", reader, "a")
    assert checked.text == "See the main valve in the plan of the boiler house [1]."
    assert checked.citations[0]["support"] != "unsupported"


@pytest.mark.parametrize(
    ("question", "sentence", "found"),
    [
        ("How far did it run?", "It held 1.8 tonnes and ran 2.3 km.", ["2.3 km"]),
        ("How long is a licence valid?", "All 12 are valid for three years.", ["three years"]),
        ("How many bats live there?", "About thirty bats live there.", ["thirty"]),
        ("What percentage voted?", "In 1990 some 62 per cent voted.", ["62 per cent"]),
        ("When was it dug?", "It was dug by 300 men in 1893.", ["1893"]),
        ("When was it sent?", "Date: Fri, 16 Dec", ["16 Dec"]),
    ],
)
def test_what_could_be_the_answer(question, sentence, found):
    spans = candidates(sentence, analyse(question))
    assert [sentence[start:end].strip() for start, end in spans] == found


def test_a_day_is_not_answered_with_opening_hours_too():
    reader = MemoryCollection(
        {
            "history.md": "The line opened to Osmer on 14 June 1897.",
            "hours.md": "The line is open on Saturdays and Sundays, 11:00 to 15:30.",
        }
    )
    checked = answered("When did the line to Osmer open?", reader, ["history.md", "hours.md"])
    assert "14 June 1897" in checked.text
    assert "Saturdays" not in checked.text


def test_the_marks_of_a_block_quote_are_not_part_of_a_sentence():
    reader = MemoryCollection({"a.md": "> The lantern is lit by the\n> keeper at dusk.\n"})
    checked = answered("When is the lantern lit by the keeper?", reader, ["a.md"])
    assert "The lantern is lit by the keeper at dusk" in checked.text
    assert checked.citations[0]["support"] != "unsupported"
