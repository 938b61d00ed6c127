"""What a claim may rest on: each sentence, row and code line of the passages that were given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rag.citations.quantities import Quantity
from rag.citations.statement import Statement, statement, words
from rag.index.terms import terms
from rag.text.layout import blocks
from rag.text.sentences import sentence_spans
from state.answer import Citation, Support
from state.passages import Passage

_RULE = re.compile(r"[\s|:\-=+]+$")
_UNIT = re.compile(r"\s*[(\[]([^()\[\]]{1,12})[)\]]\s*$")


@dataclass(frozen=True, slots=True)
class Text:
    """A slice of a document: its first character and line there."""

    text: str
    start_char: int
    start_line: int


@dataclass(frozen=True, eq=False)
class Evidence:
    """A stretch of a document. `said` is what it tells, of a table's row with the names of its
    columns; `around` are stems said for it by title, headings, the lead-in of a list, and `named`
    those of the sentence that its pronouns may speak of. `key` are the words that say which row.
    """

    passage: Passage
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    quote: str
    block: str
    origin: Text
    said: Statement
    around: frozenset[str]
    named: frozenset[str] = frozenset()
    key: frozenset[str] = frozenset()

    @cached_property
    def stems(self) -> frozenset[str]:
        return self.said.stems | self.around | self.named

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return tuple(t.quantity for t in self.said.counted if t.quantity is not None)

    def until(self, last: Evidence) -> Evidence:
        """The stretch from here to the end of another one of the same text."""
        first = self.start_char - self.origin.start_char
        quote = self.origin.text[first : last.end_char - self.origin.start_char]
        return replace(
            self, end_char=last.end_char, end_line=last.end_line, quote=quote, block=quote
        )

    def citation(self, support: Support) -> Citation:
        """Not numbered yet."""
        return {
            "marker": 0,
            "source": self.passage["source"],
            "title": self.passage["title"],
            "page": self.passage["page"],
            "start_line": self.start_line,
            "end_line": self.end_line,
            "start_char": self.start_char,
            "end_char": self.end_char,
            "chunk_id": self.passage["chunk_id"],
            "quote": self.quote,
            "passage": self.block,
            "support": support,
        }


def evidence(passages: Sequence[Passage], texts: Mapping[str, Text]) -> list[Evidence]:
    """`texts`: the whole text of a passage's chunk by its id, where it is more than its spans."""
    found: list[Evidence] = []
    for passage in passages:
        whole = texts.get(passage["chunk_id"])
        for text in _spans(passage) if whole is None else [whole]:
            found += _of_text(passage, text)
    known = names_of(found)
    return [replace(item, said=statement(item.said.text, known)) for item in found]


def names_of(found: Iterable[Evidence]) -> frozenset[str]:
    """Stems of what is written as a name inside of sentences."""
    return frozenset(stem for item in found for name in item.said.names for stem in name.stems)


def _spans(passage: Passage) -> list[Text]:
    return [Text(s["text"], s["start_char"], s["start_line"]) for s in passage["spans"]]


def _of_text(passage: Passage, text: Text) -> Iterator[Evidence]:
    about = frozenset(terms(f"{passage['title'] or ''} {passage['heading']}"))
    paragraphs = [(start, end) for start, end, _ in blocks(text.text)]
    block, lead = (0, 0), frozenset[str]()
    named = frozenset[str]()
    head: list[str] = []
    for start, end in sentence_spans(text.text):
        quote = text.text[start:end]
        within = next((b for b in paragraphs if b[0] <= start and end <= b[1]), (start, end))
        cells = _cells(quote)
        if within != block:
            block, named = within, frozenset()
        if cells is None:
            head = []
        elif _RULE.fullmatch(quote):
            continue
        elif not head:
            head = cells
            continue
        said = statement(quote if cells is None else _row(cells, head))
        yield Evidence(
            passage,
            text.start_char + start,
            text.start_char + end,
            text.start_line + text.text.count("\n", 0, start),
            text.start_line + text.text.count("\n", 0, end),
            quote,
            text.text[block[0] : block[1]],
            text,
            said,
            about | lead,
            named if said.has_pronoun else frozenset(),
            frozenset() if cells is None else words(next(filter(None, cells), "")),
        )
        if cells is None:
            lead = frozenset(terms(quote)) if quote.rstrip().endswith(":") else lead
            if names := frozenset(stem for name in said.names for stem in name.stems):
                named = names


def _cells(line: str) -> list[str] | None:
    if " | " not in line and line.count("|") < 2:
        return None
    return [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]


def _row(cells: Sequence[str], head: Sequence[str]) -> str:
    """The row as a sentence: "Model: Wren; Mass: 4.5 kg"."""
    if len(cells) != len(head):
        return "; ".join(filter(None, cells))
    said = []
    for written, cell in zip(head, cells, strict=True):
        unit = _UNIT.search(written)
        name = written.lower()  # a column's name is no name
        if unit and cell[-1:].isdigit():
            said.append(f"{name[: unit.start()]} {cell} {unit[1]}")
        elif cell:
            said.append(f"{name} {cell}")
    return "; ".join(said)
