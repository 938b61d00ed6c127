from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from ingest_runs import session_of

from rag.documents.stream import Part
from rag.embed.protocol import TokenVectors
from rag.reading.meaning import MaxSim, Meaning
from rag.reading.snippets import FIRST_LONGEST, covered, shown_snippets, snippets
from rag.reading.stretches import LONGEST, stretches_of
from rag.text.chunk import chunk_parts
from state.passages import ParsedQuestion

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
"""


class WordsAlone(Meaning):
    """A meaning that is the share of the question's words."""

    def __init__(self, reads: bool = True) -> None:
        self._reads = reads

    @property
    def reads(self) -> bool:
        return self._reads

    def likeness(self, question: str, texts: list[str]) -> list[MaxSim]:
        words = list(dict.fromkeys(question.lower().strip("?").split()))
        asked = [[one_hot(" ".join(words), words)]]
        return [MaxSim(asked, one_hot(each, words)) for each in texts]


def one_hot(text: str, words: list[str]) -> TokenVectors:
    """A dimension a word."""
    found = list(re.finditer(r"[\w\"-]+", text.lower()))
    rows = [[float(each.group() == word) for word in words] for each in found]
    spans = [each.span() for each in found]
    return TokenVectors(
        np.array(rows, np.float32).reshape(len(found), len(words)),
        np.array(spans, int).reshape(len(found), 2),
    )


class Reader:
    def document_text(self, _source: str, start: int = 0, end: int | None = None) -> str:
        return PAGE[start:end]


def chunks(text: str = PAGE) -> list[Any]:
    found = [chunk.of("lamps.md", "Lamps") for chunk in chunk_parts([Part(text)], "markdown")]
    return [
        {
            **{name: getattr(chunk, name) for name in chunk.__slots__},
            "blocks": list(chunk.blocks),
            "score": 1.0,
            "loop": 0,
        }
        for chunk in found
    ]


def asked(text: str) -> ParsedQuestion:
    from rag.index.terms import terms

    own = tuple(dict.fromkeys(terms(text)))
    ones = dict.fromkeys(own, 1.0)
    return {
        "text": text,
        "changes": (),
        "terms": own,
        "weights": ones,
        "rarities": ones,
        "spelt": {each: each for each in own},
        "specificity": ones,
    }


def shown(question: str) -> list[str]:
    found = shown_snippets([asked(question)], chunks(), WordsAlone(), Reader())  # type: ignore[arg-type]
    return [each["located"]["shown"] for each in found]


def test_no_stretch_is_longer_than_it_may_be_and_none_lies_within_another() -> None:
    found = [stretch for chunk in chunks() for stretch in stretches_of(chunk)]
    assert all(len(each.text) <= LONGEST for each in found)
    assert all(a.end < b.end for a, b in pairwise(found))
    assert all(PAGE[each.start : each.end] == each.text for each in found)


def test_at_most_three_are_shown_and_none_twice() -> None:
    found = snippets(asked("who lights the lamp at dusk?"), chunks(), WordsAlone())  # type: ignore[arg-type]
    assert 1 <= len(found) <= 3
    places = [(each.stretch.start, each.stretch.end) for each in found]
    assert all(a[1] <= b[0] or b[1] <= a[0] for a in places for b in places if a is not b)
    assert len(found[0].stretch.text) <= FIRST_LONGEST


def test_what_is_carried_behind_a_follow_up_need_not_be_held() -> None:
    stretch = next(each for each in stretches_of(chunks()[0]) if each.text.startswith("The lamp"))
    assert covered(asked("does it burn oil? (price of a hood)"), stretch) == 1
    assert covered(asked("does it burn oil at the price of a hood?"), stretch) < 1


def test_what_another_page_says_again_is_not_shown() -> None:
    again = chunks(PAGE)
    twice = [*chunks(), *({**each, "source": "again.md"} for each in again)]
    found = snippets(asked("who lights the lamp at dusk?"), twice, WordsAlone())  # type: ignore[arg-type]
    texts = [each.stretch.text for each in found]
    assert len(texts) == len(set(texts))


def test_code_is_whole_lines_set_in() -> None:
    first = shown("how to cover it with a glass hood")[0]
    assert '    lamp --cover "glass hood"' in first.split("\n")


def test_a_row_stands_below_its_header() -> None:
    text = "\n\n".join(shown("price of the hood"))
    assert "| part | price |" in text


def test_what_only_repeats_the_question_is_not_shown() -> None:
    found = snippets(asked("The lamp at Hollin Bridge burns oil"), chunks(), WordsAlone())  # type: ignore[arg-type]
    assert all(each.stretch.text != "The lamp at Hollin Bridge burns oil." for each in found)


def test_what_is_quoted_stands_in_the_page() -> None:
    for each in shown_snippets(
        [asked("who lights the lamp?")],
        chunks(),
        WordsAlone(),  # type: ignore[arg-type]
        Reader(),  # type: ignore[arg-type]
    ):
        cited = each["located"]
        assert cited["quote"] == PAGE[cited["start_char"] : cited["end_char"]]
        assert cited["quote"] in cited["passage"]


def hit(name: str, score: float) -> dict[str, Any]:
    return {"chunk_id": name, "title": None, "heading": "", "text": name, "score": score}


@pytest.mark.parametrize(("reads", "first"), [(True, "the wolf eats"), (False, "a bus fare")])
def test_the_nearest_in_meaning_comes_first_where_somebody_reads(reads: bool, first: str) -> None:
    hits = [hit("a bus fare", 1.0), hit("oil", 0.9), hit("the wolf eats", 0.8)]
    ranked = WordsAlone(reads).order("the wolf", hits)
    assert ranked[0]["chunk_id"] == first
    scores = [each["score"] for each in ranked]
    assert scores == sorted(scores, reverse=True)


def test_an_answer_of_one_new_word_is_one(tmp_path):
    """What tells a single word besides those asked for was taken for a heading."""
    line = "# Line\n\nThe Corbel Tunnel is 1,204 metres long.\n"
    texts = {"line.md": line, "inn.md": "# Inn\n\nThe inn has nine beds.\n"}
    with session_of(tmp_path, texts) as session:
        assert session.ask("How many beds has the inn?")["answer"].startswith("The inn has nine")
