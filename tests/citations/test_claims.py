"""The hard cases of checking what a model wrote, one by one."""

from __future__ import annotations

import pytest
from memory_collection import MemoryCollection

from rag.citations.check import check
from rag.engines.openai.claims import read_claims

TEXTS = {
    "bridge.md": (
        "The Orrin Bridge stands 31 metres above the river and is 164 metres long. It has eighteen "
        "arches. About 6,000 people cross it every day. It was opened on 9 October 1887 by Ada "
        "Lorne. Cyclists may not use the footway. The toll rose from 2 to 3 euros in 1920.\n"
    ),
    "gauge.md": (
        "# Rain gauges\n\n| Gauge | Height (m) | Rain (mm) |\n|---|---|---|\n"
        "| Hollow | 210 | 804 |\n| Ridge | 596 | 1320 |\n"
    ),
    "survey.txt": "Survey of 1901. Mount Sorrel is 386 m high.\n",
    "map.txt": "Notes to the new map. Mount Sorrel is 391 m high.\n",
    "see.md": "Der See ist 48 Meter tief. Im Winter ist das Baden nicht erlaubt.\n",
    "hire.txt": "Trips outside the European Union require written permission.\n",
    "notes.md": "Design notes: whether methods of a trait can be const is left open.\n",
    "archive.md": (
        "The archive is held between 16 and 18 °C and 45 to 50 per cent relative humidity.\n"
    ),
    "oder.md": "Hanne Oder followed Pál Vidor as head of the mill.\n",
}


@pytest.fixture(scope="module")
def reader():
    return MemoryCollection(TEXTS)


def verdicts(text, reader, *sources, question=""):
    given = [reader.passage(source, number) for number, source in enumerate(sources, 1)]
    documents = [reader.chunk(source) for source in sources]
    signs = "".join(f"[{passage['number']}]" for passage in given)
    marked = text if "[" in text or "|" in text else f"{text[:-1]} {signs}{text[-1]}"
    checked = check(read_claims(marked), given, reader, documents, question)
    return [claim["verdict"] for claim in checked.claims]


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("bridge.md", "The Orrin Bridge stands 31 m above the river."),  # units
        ("bridge.md", "It has 18 arches."),  # a number word
        ("bridge.md", "Some 6000 people cross it every day."),  # a thousands separator
        ("bridge.md", "On 9 October 1887 it was opened by Ada Lorne."),  # order
        ("bridge.md", "Cyclists may not use the “footway”."),  # quotation marks
        ("bridge.md", "About 5,900 people cross it every day."),  # rounding said as such
        ("gauge.md", "The Ridge gauge has a height of 596 m."),  # a cell under its column
        ("gauge.md", "| Hollow | 804 mm |"),
        ("gauge.md", "Gauge: Ridge; Height (m): 596; Rain (mm): 1320."),
    ],
)
def test_the_same_said_in_other_ways_is_verified(source, claim, reader):
    assert verdicts(claim, reader, source) == ["verified"]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("You need written permission for trips outside the European Union.", "verified"),
        ("Trips outside the European Union always require a written permission.", "verified"),
        ("Trips outside the European Union require written insurance.", "unverified"),
        ("The driver must have written permission.", "unverified"),
    ],
)
def test_only_a_word_that_says_little_in_any_text_may_be_missing(claim, verdict, reader):
    assert verdicts(claim, reader, "hire.txt") == [verdict]


def test_the_ends_of_a_range_are_measures_of_one_thing(reader):
    claim = "The relative humidity is kept between 45 and 50 per cent in the archive."
    assert verdicts(claim, reader, "archive.md") == ["unverified"]
    swapped = "The archive is held at 45 to 50 °C and 16 to 18 per cent relative humidity."
    assert verdicts(swapped, reader, "archive.md") == ["contradicted"]


def test_a_yes_is_proved_by_no_words_alone(reader):
    assert verdicts("Yes, methods of a trait can be const.", reader, "notes.md") == ["unverified"]
    wrong = "Yes, cyclists may use the footway."
    assert verdicts(wrong, reader, "bridge.md") == ["contradicted"]


@pytest.mark.parametrize(
    ("sources", "claim"),
    [
        (["survey.txt", "map.txt"], "One source says 386 m, another 391 m."),
        (["survey.txt", "map.txt"], "Mount Sorrel is either 386 m or 391 m high."),
        (["bridge.md"], "Its eighteen spans take it across the water."),  # paraphrase
        (["bridge.md"], "The price of crossing went up by half in 1920."),  # reckoned
        (["bridge.md"], "More than 5,000 people cross the Orrin Bridge every day."),
        (["bridge.md"], "Two tolls cost 6 euros in 1920."),
        (["gauge.md"], "The Ridge gauge had 516 mm more rain than the Hollow one."),
        (["bridge.md"], "She opened it in the autumn of 1887."),  # pronouns
        (["see.md"], "The lake has a depth of 48 metres."),  # another language
        (["see.md"], "Swimming is not allowed there in winter."),
        (["hire.txt"], "Trips outside the EU require written permission."),  # initials
        (["gauge.md"], "More rain falls on the ridge than in the hollow."),
    ],
)
def test_what_code_cannot_prove_is_not_taken_for_false(sources, claim, reader):
    assert "contradicted" not in verdicts(claim, reader, *sources)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("bridge.md", "The Orrin Bridge is 31 m long and 164 m high."),  # bound to other things
        ("bridge.md", "The toll rose from 3 to 2 euros in 1920."),
        ("bridge.md", "The toll fell from 2 to 3 euros in 1920."),  # direction
        ("bridge.md", "Cyclists may use the footway."),  # denial
        ("bridge.md", "The bridge was opened by Ida Lorne."),  # name
        ("bridge.md", "The Orrin Bridge is 164 kilometres long."),  # unit
        ("bridge.md", "It was opened on 9 October 1878 by Ada Lorne."),  # date
        ("bridge.md", "It was painted green by Ada Lorne."),  # made up
        ("oder.md", "Pál Vidor followed Hanne Oder as head of the mill."),  # subjects swapped
        ("gauge.md", "The Hollow gauge has a height of 596 m."),  # another row
        ("gauge.md", "The Ridge gauge has a height of 1320 m."),  # another column
        ("see.md", "The lake has a depth of 84 metres."),
    ],
)
def test_what_is_false_is_never_verified(source, claim, reader):
    assert "verified" not in verdicts(claim, reader, source)


@pytest.mark.parametrize(
    "claim",
    [
        "The Orrin Bridge is 146 metres long.",
        "The Orrin Bridge is 164 kilometres long.",
        "It was opened on 9 October 1878 by Ada Lorne.",
        "It was opened by Ida Lorne on 9 October 1887.",
        "Cyclists may use the footway.",
    ],
)
def test_one_thing_said_otherwise_is_contradicted(claim, reader):
    assert verdicts(claim, reader, "bridge.md") == ["contradicted"]


def test_only_what_a_claim_names_can_contradict_it(reader):
    assert verdicts("Mount Sorrel is 391 m high [2].", reader, "survey.txt", "map.txt") == [
        "verified"
    ]
    assert verdicts("Mount Sorrel is 391 m high [1].", reader, "survey.txt", "map.txt") == [
        "verified"
    ]
    assert verdicts("Mount Sorrel is 399 m high [1].", reader, "survey.txt", "map.txt") == [
        "contradicted"
    ]


@pytest.mark.parametrize(
    "empty",
    [
        "This information is found in [1].",
        "The context does not mention the number of lamps [1].",
        "The provided documents contain no information on lamps.",
        "The question asks how long the Orrin Bridge is.",
        "How long is the Orrin Bridge?",
    ],
)
def test_sentences_that_say_nothing_are_left_out(empty, reader):
    asked = "How long is the Orrin Bridge?"
    assert verdicts(f"It has 18 arches [1]. {empty}", reader, "bridge.md", question=asked) == [
        "verified"
    ]


def test_an_answer_in_the_words_of_the_question_says_something(reader):
    asked = "May cyclists not use the footway?"
    claim = "Cyclists may not use the footway."
    assert verdicts(claim, reader, "bridge.md", question=asked) == ["verified"]
