from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from in_time import cpu_within
from ingest_runs import collection_of, session_of
from local_corpus import StaticReranker

from rag.embed.protocol import TokenVectors
from rag.question.parse import parse_question
from rag.reading.display import display_text, lead_of
from rag.reading.reranker import MaxSim, Reranker
from rag.reading.scoring import JUDGED, judge_stretches, judged_text
from rag.reading.snippets import FIRST_LONGEST, nearest_of, shown_snippets, snippets
from rag.reading.stretches import LONGEST, stretches_of

PAGE = """# Lamps

The lamp at Hollin Bridge burns oil. It is lit at dusk by the keeper, who lives beside it and walks
over the weir each evening with a can and a ladder.

To put it out:

    lamp --out
    lamp --cover "glass hood"

| part | price |
| ---- | ----- |
| wick | 3     |
| hood | 17    |

- Bring these:
- a ladder
- a can of oil
  - or of petrol
"""


FILES = {"lamps.md": PAGE}


@pytest.fixture
def reader(session):
    return session.reader


@pytest.fixture
def found(reader):
    """What is found and shown for a question, by the words' own vectors."""

    def find(question):
        hits = reader.search(question, 8)
        return shown_snippets(parse_question(question, reader), hits, StaticReranker(), reader)

    return find


RECORDS = """Patient: Albright, Joan
Allergy: penicillin
Recall: November 2025

Patient: Bowen, Rhys
Allergy: latex
Recall: March 2026
"""
INVOICE = "INVOICE 118\n\nDate: 12 May\nDue: 11 June\n"


@pytest.mark.parametrize(
    ("text", "question", "shown"),
    [
        (RECORDS, "who has the latex allergy", RECORDS.split("\n\n")[1].strip()),
        ("Q: How do I reset it?\nA: Hold the key.\n", "how do i reset it", "A: Hold the key."),
        (INVOICE, "when is the invoice due", "INVOICE 118\n\nDate: 12 May\nDue: 11 June"),
    ],
    ids=["record", "question and answer", "record below its name"],
)
def test_a_record_is_shown_whole_and_no_other(tmp_path, text, question, shown):
    first = shown_of(tmp_path, text, question, "notes.txt")[0]
    assert shown in first["shown"]
    assert "Albright" not in first["shown"]


def test_a_reply_is_shown_before_what_it_quotes(tmp_path):
    mail = """From: Bo <bo@example.org>
Subject: Re: Wedding

Dear Ann, that is £7 a bottle.

> Is there a corkage charge if we bring our own wine?
"""
    found = shown_of(tmp_path, mail, "is there a corkage charge for wine", "reply.eml")
    assert found[0]["shown"] == "Dear Ann, that is £7 a bottle."


def test_no_stretch_is_longer_than_it_may_be_and_none_lies_within_another(reader):
    found = [stretch for chunk in reader.search("lamp", 8) for stretch in stretches_of(chunk)]
    assert all(len(each.text) <= LONGEST for each in found)
    assert all(a.end < b.end for a, b in pairwise(found))
    assert all(PAGE[each.start : each.end] == each.text for each in found)


def test_at_most_three_are_shown_none_twice_and_each_stands_in_the_page(found):
    cited = found("who lights the lamp at dusk?")
    assert 1 <= len(cited) <= 3
    places = sorted((each["start_char"], each["end_char"]) for each in cited)
    assert all(one[1] <= other[0] for one, other in pairwise(places))
    assert len(cited[0]["quote"]) <= FIRST_LONGEST
    for each in cited:
        assert each["quote"] == PAGE[each["start_char"] : each["end_char"]]
        assert each["best"] in each["quote"] in each["passage"]
    assert cited[0]["best"].startswith("It is lit at dusk")


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("how to cover it with a glass hood", ['\n    lamp --cover "glass hood"\n']),
        ("price of the hood", ["\n| part | price |\n", "\n| hood | 17"]),
        ("a can of oil or of petrol", ["\n- a can of oil\n  - or of petrol"]),
    ],
)
def test_code_is_set_in_and_rows_and_items_stand_below_their_own(found, question, held):
    shown = [f"\n{each['shown']}\n" for each in found(question)]
    assert any(all(lines in each for lines in held) for each in shown)


def test_steps_behind_the_code_of_a_step_stand_where_that_one_does(tmp_path):
    before = "# Moving\n\n" + "The keeper comes early. " * 12
    steps = "1.  Stop it.\n\n    ```\n    lamp --out\n    ```\n\n2.  Take it down.\n"
    shown = shown_of(tmp_path, f"{before}\n\n{steps}", "lamp --out")[0]["shown"]
    assert shown == "1. Stop it.\n\n    lamp --out\n\n2. Take it down."


def test_steps_of_two_stretches_are_shown_as_one_list(tmp_path):
    steps = [f"{n}. Turn valve {n} by a quarter{', then wait for a while' * 3}." for n in "123456"]
    steps[4] = steps[4][:-1] + " or the kiln smokes."
    page = "# Kiln\n\n" + "\n".join(steps)
    first, *_ = shown_of(tmp_path, page, "valve quarter smokes", reranker=Reads())
    assert first["shown"].splitlines() == steps


def test_items_behind_one_of_a_deeper_level_stand_as_they_stand_in_the_page(tmp_path):
    page = "# Plan\n\n- Stay\n  - a cabin\n    - with a boat\n- To do\n  - a roof box\n"
    reader = collection_of(tmp_path, {"plan.md": page})
    (hit,) = reader.search("boat", 1)
    whole = next(each for each in stretches_of(hit) if "boat" in each.text)
    units = [unit for unit in whole.section if unit.start >= page.index("with a boat") - 2]
    shown = display_text(hit, units, lead_of(hit, units[0], reader), 600)
    assert shown == "  - a cabin\n    - with a boat\n- To do\n  - a roof box"


def test_what_another_page_says_again_is_not_shown(reader):
    hits = reader.search("lamp", 8)
    twice = [*hits, *({**hit, "source": "again.md"} for hit in hits)]
    found = snippets(parse_question("who lights the lamp at dusk?", reader), twice, Reads())
    texts = [each.stretch.text for each in found]
    assert len(texts) == len(set(texts))


def test_what_only_repeats_the_question_is_not_shown(found):
    quotes = [each["quote"] for each in found("The lamp at Hollin Bridge burns oil")]
    assert "The lamp at Hollin Bridge burns oil." not in quotes


@pytest.mark.parametrize(
    "text", ["[mill]:x" * 60, "<mill>" * 200, "millwheel" * 100, "磨坊天" * 160]
)
def test_a_passage_that_can_be_taken_apart_in_many_ways_is_read_in_time(text, tmp_path):
    texts = {"mill.md": f"{text} turns 12 wheels a day.", "other.md": "The mill turned 13 times."}
    reader, question = collection_of(tmp_path, texts), "How many times a day did the mill turn?"
    with cpu_within(2):
        asked = parse_question(question, reader)
        assert shown_snippets(asked, reader.search(question, 8), StaticReranker(), reader)


class Reads(Reranker):
    """A meaning that somebody reads: the share of the question's words; none is judged better."""

    is_neural = True

    def judged(self, _question, texts):
        return [0.0] * len(texts)

    def __init__(self):
        super().__init__(Path())

    def similarities(self, question, texts):
        row = np.ones((1, 1), np.float32), np.array([[0, 1]])
        shares = [sum(word in each for word in question.split()) for each in texts]
        return [MaxSim([[TokenVectors(*row)]], TokenVectors(row[0] * n, row[1])) for n in shares]


LOG = """2024-05-19  Yacht Merganser hit the fuel berth, and her insurers have paid for all damage.
2024-06-08  Crane out of order: hydraulic hose. Repaired by Trew and Sons on the day after that one.
2024-07-13  Regatta day 1. 61 boats. One broken mast, of a Flying Fifteen.
2024-07-14  Regatta day 2. Abandoned at 13:20 for lightning.
"""


class ReadsTheEnd(StaticReranker):
    def similarities(self, question, texts):  # noqa: ARG002
        row = np.ones((1, 1), np.float32)
        ends = [TokenVectors(row, np.array([[len(text) - 9, len(text)]])) for text in texts]
        return [MaxSim([[each]], each) for each in ends]


def test_the_line_that_holds_most_of_the_question_is_shown_whole(tmp_path):
    found = shown_of(tmp_path, LOG, "regatta day 1", "log.txt", reranker=ReadsTheEnd())
    assert found[0]["shown"].startswith("2024-07-13 Regatta day 1. 61 boats.")


def test_a_name_below_a_letter_is_not_all_that_is_shown(tmp_path):
    reader = collection_of(tmp_path, {"bulls.txt": f"{LOG}\nThe price stays.\n\nRob\n"})
    (near,) = nearest_of("Rob?", reader.search("Rob?", 1), reader, ReadsTheEnd())
    assert near["shown"] == "The price stays.\n\nRob"


@pytest.mark.parametrize(("reranker", "first"), [(Reads(), "the wolf"), (StaticReranker(), "fare")])
def test_the_nearest_in_meaning_comes_first_where_somebody_reads(reranker, first):
    form = {"title": None, "heading": "", "source": ""}
    told = (("fare", 1.0), ("oil", 0.9), ("the wolf", 0.8))
    hits = [{**form, "chunk_id": text, "text": text, "score": score} for text, score in told]
    ranked = reranker.rerank("the wolf", hits)
    assert ranked[0]["chunk_id"] == first
    scores = [each["score"] for each in ranked]
    assert scores == sorted(scores, reverse=True)


def test_what_begins_the_section_that_is_asked_about_comes_before_what_is_as_near(tmp_path):
    store = (
        "# Store\n\nEvery snapshot lies in the store.\n\n## Keys\n\nA snapshot has a key.\n\n"
        "## Snapshots\n\nA directory as it was at a moment.\n\nOne snapshot refers to another.\n"
    )
    reader = collection_of(tmp_path, {"store.md": store})
    question = parse_question("What is a snapshot?", reader)
    first, *_ = snippets(question, reader.search("What is a snapshot?", 8), Reads())
    assert first.stretch.text.startswith("A directory as it was")


class ReadsFields(Reads):
    def similarities(self, question, texts):
        return super().similarities(question, [each * (": " in each) for each in texts])


def test_a_row_is_read_by_itself_behind_the_names_of_its_columns(tmp_path):
    reader = collection_of(tmp_path, {"rota.csv": "keeper,watch_of\nAda,dawn\nBea,dusk\n"})
    question = "dusk"
    asked, hits = parse_question(question, reader), reader.search(question, 8)
    ada, bea = sorted(
        judge_stretches(asked, hits, ReadsFields()), key=lambda each: each.stretch.text
    )
    assert (bea.stretch.text, bea.score > ada.score) == ("Bea | dusk", True)
    assert judged_text(bea.stretch) == "rota. keeper: Bea. watch of: dusk"


class Judges(Reads):
    """Somebody who reads the question with each text, too; what was put to them is kept."""

    def __init__(self):
        super().__init__()
        self.read = []

    def judged(self, _question, texts):
        self.read += texts
        return [float("keeper" in text) for text in texts]


ROTA = "The keeper does it: the lamp is hers."
ROW = "| keeper | lamp |\n|---|---|\n| Ada | Hollin |"


@pytest.mark.parametrize(("rota", "read"), [(ROTA, ROTA), (ROW, "keeper: Ada. lamp: Hollin")])
def test_of_the_nearest_the_one_comes_first_that_is_judged_to_answer(tmp_path, rota, read):
    """Who reads each by itself sees the same words in both, and of a row its columns' names."""
    page = f"# Lamp\n\nThe lamp is lit.\n\n## Rota\n\n{rota}\n"
    page += "".join(f"\n## Year {n}\n\nA wick of wool, number {n}.\n" for n in range(1901, 1911))
    reader = collection_of(tmp_path, {"lamp.md": page})
    question = "Who looks after the lamp?"
    asked, hits = parse_question(question, reader), reader.search(question, 8)
    judge = Judges()
    first, *_ = snippets(asked, hits, judge)
    assert first.stretch.text == rota.splitlines()[-1]
    assert first.judged == 1
    assert len(judge.read) == JUDGED < sum(len(stretches_of(hit)) for hit in hits)
    assert f"Lamp > Rota. {read}" in judge.read
    assert snippets(asked, hits, Reads())[0].stretch.text != first.stretch.text


def test_an_answer_of_one_new_word_is_one(tmp_path):
    """What tells a single word besides those asked for was taken for a heading."""
    line = "# Line\n\nThe Corbel Tunnel is 1,204 metres long.\n"
    texts = {"line.md": line, "inn.md": "# Inn\n\nThe inn has nine beds.\n"}
    with session_of(tmp_path, texts) as session:
        assert session.ask("How many beds has the inn?")["answer"].startswith("The inn has nine")


def shown_of(
    tmp_path, text, question, name="page.md", *, full=False, reranker: Reranker | None = None
):
    reader = collection_of(tmp_path, {name: text, "other.md": "# Wool\n\nIt is spun in May.\n"})
    hits = reader.search(question, 8)
    parsed = parse_question(question, reader)
    return shown_snippets(parsed, hits, reranker or StaticReranker(), reader, full=full)


@pytest.mark.parametrize(
    ("begins", "ends", "between"),
    [
        pytest.param("```sh\n", "\n```", "\n", id="listing"),
        pytest.param("", ".", ". ", id="paragraph"),
        pytest.param("", ".", ".\n", id="wrapped paragraph"),
    ],
)
def test_all_of_a_long_block_is_its_passage(tmp_path, begins, ends, between):
    steps = between.join(
        f"Step{n} --waterbuck --of-the-service={n} --wait-until-it-is-up" for n in range(60)
    )
    text = f"# Deploy\n\nRun this:\n\n{begins}{steps}{ends}\n\nThat is all.\n"
    for asked in ("step1", "step31", "step58"):
        shown = shown_of(tmp_path, text, f"waterbuck {asked}", full=True)
        assert steps in shown[0]["passage"]
    shown = shown_of(tmp_path, text, "waterbuck step1", full=True)
    assert "That is all" not in shown[0]["passage"]


def test_a_whole_block_is_shown_once_however_much_of_it_answers(tmp_path):
    text = (
        "# Tags\n\nYou nest tags below a parent, which was made before them. "
        + "The keeper writes each of them into the long book that lies below the stairs. " * 9
        + "You nest tags in the list that hangs beside the second drawer.\n"
    )
    assert len(shown_of(tmp_path, text, "how do I nest tags?")) == 2
    whole = shown_of(tmp_path, text, "how do I nest tags?", full=True)
    assert [each["shown"] for each in whole] == [text.split("\n")[2]]


def test_a_paragraph_is_shown_from_its_beginning_where_that_is_near(tmp_path):
    """What answers often stands in the sentence before the one that is nearest in words."""
    text = (
        "# Leave\n\nAfter three years each keeper may take six paid weeks."
        " A sabbatical that is not taken when you leave the lock is paid out with the last wages,"
        " if the lock's office was told of it in the last year and nobody else stood in.\n"
    )
    first = shown_of(tmp_path, text, "is a sabbatical that is not taken paid out?")[0]
    assert first["shown"].startswith("After three years each keeper may take six paid weeks.")


def test_a_snippet_does_not_end_in_what_leads_to_something_else(tmp_path):
    text = (
        "# Weir\n\nThe weir is opened at dawn with the long bar.\n\n**Closing it in a flood**\n\n"
        "The two gates beside it need:\n\n" + "- a bar of ash, not of oak, for both of them " * 9
    )
    shown = shown_of(tmp_path, text, "when is the weir opened?")[0]["shown"]
    assert shown == "The weir is opened at dawn with the long bar."


@pytest.mark.parametrize("item", ["2. Tunnel.", "**2. Tunnel.**"])
def test_a_snippet_does_not_end_in_the_first_words_of_an_item_that_goes_on(item, tmp_path):
    more = f"The survey of the lining found damp{' behind the bricks' * 20}."
    text = f"# Minutes\n\nDesmond is the treasurer.\n\n1. Minutes approved.\n\n{item} {more}\n"
    shown = shown_of(tmp_path, text, "Who is the treasurer?")[0]["shown"]
    assert shown.removesuffix("\n…").endswith("\n1. Minutes approved.")


def test_an_object_behind_what_is_found_is_shown_where_it_fits(tmp_path):
    said, reply = "the gate does not shut: " + "it is stuck " * 15, "grease the hinge " * 14
    issue = f' {{\n  "body": "{said}",\n  "by": [\n   {{\n    "text": "{reply}"\n   }}\n  ]\n }}'
    text = f"[\n{issue},\n{issue.replace('gate', 'weir')}\n]\n"
    shown = shown_of(tmp_path, text, "the weir does not shut", "issues.json")[0]["shown"]
    assert "the weir does not shut" in shown
    assert reply in shown


def test_columns_of_a_table_without_bars_stay_below_each_other(tmp_path):
    table = (
        "                   adults    children\nDay ticket         12.50       6.00\n"
        "Season ticket      95.00      45.00"
    )
    text = f"Entry prices\n\n{table}\n"
    shown = shown_of(tmp_path, text, "how much is a season ticket for children?", "prices.txt")
    assert table in shown[0]["shown"]


def test_code_is_shown_as_far_as_its_next_blank_line_where_that_is_near(tmp_path):
    lines = "".join(f"    {n}. the long bar lies beside the rope of the bell\n" for n in range(8))
    text = f"lamp: red\n\nbell:\n  said: >-\n{lines}\n" + "gate:\n  bar: ash\n\n" * 60
    shown = shown_of(tmp_path, text, "what is said of the bell?", "weir.yml")[0]["shown"]
    assert shown.endswith(lines.rstrip().rpartition("\n")[2])


def test_a_definition_is_shown_from_its_first_line_to_its_last(tmp_path):
    code = (
        "    @lock\n    def shut(\n        self,\n"
        + "".join(f"        bar_{n}: int,\n" for n in range(6))
        + '    ) -> int:\n        """Lowers the gate.\n\n        Nobody has to turn the wheel."""\n'
        "        return 0"
    )
    around = "\n\n    def open(self):\n        return self.bar\n\n"
    text = f"class Weir:{around}{code}{around}"
    shown = shown_of(tmp_path, text, "who turns the wheel to lower the gate?", "weir.py")
    assert shown[0]["shown"] == code


def test_objects_of_data_are_shown_whole(tmp_path):
    said = ["the weir is shut", "who has the key of the boat?", "Bo, until Friday", "thanks"] * 9
    objects = [f'  {{\n    "by": "Bo",\n    "text": "{text}"\n  }}' for text in said]
    text = "[\n" + ",\n".join(objects) + "\n]\n"
    shown = shown_of(tmp_path, text, "who has the key of the boat?", "talk.json")[0]["shown"]
    lines = [line.strip() for line in shown.splitlines() if line.strip() != "…"]
    assert (lines[0], lines[-1]) == ("{", "},")
    assert '"text": "who has the key of the boat?"' in lines


def test_code_is_set_in_as_it_stands_also_below_a_blank_line(tmp_path):
    code = "class Weir:\n    def shut(self):\n        '''Shuts it.\n\n        By the bar.'''\n"
    text = code + "\n    def open(self):\n        pass\n"
    shown = shown_of(tmp_path, text, "how is the weir shut?", "weir.py")[0]["shown"]
    assert shown == "\n".join(f"    {line}".rstrip() for line in code.splitlines())


def test_lines_that_their_writer_broke_stand_close(tmp_path):
    text = "The weir is shut at dusk.\n\nIda Munro\nKeeper of the weir\nTel. 12\n"
    shown = shown_of(tmp_path, text, "who is keeper of the weir?", "mail.txt")[0]["shown"]
    assert shown.endswith("Ida Munro\nKeeper of the weir\nTel. 12")


def test_a_term_stands_before_what_says_it(tmp_path):
    text = "# Options\n\n`--cover`\n: Puts the glass hood over the lamp when the wind is high.\n"
    shown = shown_of(tmp_path, text, "put the hood over in wind")[0]["shown"]
    assert shown == "`--cover`: Puts the glass hood over the lamp when the wind is high."


def test_a_field_of_a_files_head_is_shown_only_where_it_says_something_of_the_matter(tmp_path):
    head = "title: Nettle soup\ndate: 2021-03-11\nauthor: Ann Orrin"
    text = f"---\n{head}\n---\n\nNettles and a potato are boiled until both are soft.\n"
    shown = [each["shown"] for each in shown_of(tmp_path, text, "what goes in nettle soup")]
    assert shown[0] == "Nettles and a potato are boiled until both are soft."
    assert not {"title: Nettle soup", "date: 2021-03-11"}.intersection(shown)
    asked = shown_of(tmp_path, text, "who is the author of nettle soup")
    assert asked[0]["shown"] == "author: Ann Orrin"


def test_what_stands_below_a_heading_is_read_as_of_what_its_files_head_names(tmp_path):
    cheese = "---\ntitle: Cheese\n---\n\n## Steps\n\n- Warm the milk.\n- Leave it for a night.\n"
    dip = "---\ntitle: Dip\n---\n\n## Steps\n\n- Stir in the cheese and enjoy.\n"
    texts = {"cheese.md": cheese, "dip.md": dip}
    with session_of(tmp_path, texts) as session:
        first = session.ask("How do I make cheese?")["citations"][0]
    assert first["quote"] == "- Warm the milk.\n- Leave it for a night."


def test_the_end_of_a_row_stands_below_no_header(tmp_path):
    """A row that is longer than a chunk: its end was said to be of the first column."""
    junior, senior = "oils the gate " * 40, "paints the weir " * 40
    cells = f"| skill | {junior} | {senior}and wakes the heron at dawn |"
    text = f"# Grades\n\n| Kind | Junior | Senior |\n|---|---|---|\n{cells}\n"
    shown = shown_of(tmp_path, text, "who wakes the heron at dawn?")[0]["shown"]
    assert shown.startswith("…\npaints the weir")


def test_what_leads_to_an_item_is_shown_from_its_sentence_on(tmp_path):
    """It was cut to its last eighty characters, wherever these began."""
    text = (
        "# Microphones\n\nAny of them can be plugged into the box beside the wheel. There are two"
        " ways to use one at the weir, each of which has been tried in wind and rain:\n\n"
        + "- by the long wire, which is cheap and which the keeper winds up every evening\n" * 4
        + "- by the tin horn, which the heron likes better\n"
    )
    shown = shown_of(tmp_path, text, "what does the heron like better?")[0]["shown"]
    assert shown.startswith("… There are two ways to use one at the weir, each of which has")


def test_a_bar_in_what_leads_to_an_item_makes_it_no_header(tmp_path):
    lead = (
        "The sign that the keeper hangs out at the far bank, for all who have to wait there, is one"
        " of `red|blue|off`, and each of them means what is said of it here:"
    )
    items = "- red: the ferry is late and nobody is to wait below the weir in the wind\n" * 9
    text = f"# Signs\n\n{lead}\n\n{items}- off: the heron sleeps\n"
    shown = shown_of(tmp_path, text, "when does the heron sleep?")[0]["shown"]
    assert shown == f"{lead}\n…\n- off: the heron sleeps"


def test_a_chapter_that_only_counts_is_named_with_what_it_is_of(tmp_path):
    text = "# The Drowned Bell\n\n## I\n\nThe ferryman heard a bell below the water at noon.\n"
    assert shown_of(tmp_path, text, "who heard a bell?")[0]["heading"] == "The Drowned Bell > I"
    newest = "The gate is oiled anew. " * 60
    old = f"# Changes\n\n## 3.0\n\n{newest}\n\n## 2.0\n\nA heron sings.\n"
    assert shown_of(tmp_path, old, "what sings?")[0]["heading"] == "Changes > 2.0"


DONE = (
    "Shut the sluice",
    "Lift the bar",
    "Oil the hinge",
    "Paint the gate",
    "Ring the bell",
    "Lower the bar",
    "Open the sluice",
    "Write the hour down",
)
STEPS = "\n".join(
    f"{n}. {said}, {'however long it takes ' * 3}so." for n, said in enumerate(DONE, 1)
)
LIST = f"# Gate\n\nAs follows:\n\n{STEPS}\n\nThe heron sleeps.\n"


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ("shut the sluice", False, True),
        ("paint the gate", True, True),
        ("write the hour", True, False),
    ],
)
def test_a_list_that_goes_on_says_so_and_is_shown_whole_on_demand(
    tmp_path, question, before, after
):
    (shown, *_) = shown_of(tmp_path, LIST, question)
    lines = shown["shown"].splitlines()
    items = [number for number, line in enumerate(lines) if line[:1].isdigit()]
    assert (lines[items[0] - 1] == "…", lines[-1] == "…") == (before, after)
    assert shown["quote"] == LIST[shown["start_char"] : shown["end_char"]]
    (whole, *_) = shown_of(tmp_path, LIST, question, full=True)
    assert STEPS in whole["shown"]
    assert whole["shown"].startswith("As follows:\n")
    assert "…" not in whole["shown"]


def test_a_list_that_is_shown_whole_behind_what_leads_to_it_is_shown_once(tmp_path):
    text = LIST.replace("As follows:", "This is how to care for the gate in spring. As follows:")
    text = text.replace("Ring the bell", "Care for the bell in spring")
    found = shown_of(tmp_path, text, "how to care for the gate and the bell in spring", full=True)
    assert sum("Care for the bell in spring" in each["shown"] for each in found) == 1


def test_a_list_is_whole_where_all_of_it_is_shown_and_where_another_one_follows(tmp_path):
    text = "# Gate\n\nYou need:\n\n- a bar\n- a bell\n\nLeave these:\n\n- the wool\n"
    assert "…" not in shown_of(tmp_path, text, "what do you need?")[0]["shown"]


def test_a_long_list_is_cut_on_demand_too_and_says_so(tmp_path):
    items = "".join(f"- the gate {n} is opened by the keeper of lock {n}\n" for n in range(400))
    (whole, *_) = shown_of(tmp_path, f"# Gates\n\n{items}", "keeper of lock 200", full=True)
    assert len(whole["shown"]) < 7000
    assert "lock 200\n" in whole["shown"]
    lines = whole["shown"].splitlines()
    assert (lines[0], lines[-1]) == ("…", "…")


def test_code_that_goes_on_says_so(tmp_path):
    lines = "\n".join(f"    lamp --step {n} --until-it-is-lit" for n in range(40))
    (shown, *_) = shown_of(tmp_path, f"# Lamp\n\nRun this:\n\n{lines}\n", "lamp step 20")
    (first, *_, last) = shown["shown"].partition("\n\n")[2].splitlines()
    assert (first, last) == ("    …", "    …")
