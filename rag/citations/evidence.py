"""What a claim may rest on: each sentence, row and code line of the passages that were given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rag.citations.quantities import Quantity
from rag.citations.statement import Statement, statement, words
from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.text.blocks import blocks_of_text
from rag.text.row_cells import cells_of_row
from rag.text.sentences import block_sentences
from state.answer import Citation, Support
from state.blocks import Block, BlockKind, Extent
from state.passages import Passage, RetrievedChunk

_UNIT = re.compile(r"\s*[(\[]([^()\[\]]{1,12})[)\]]\s*$")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class Text:
    """A slice of a document: its first character and line there, and its blocks."""

    text: str
    start_char: int
    start_line: int
    blocks: tuple[Block, ...]

    def slice(self, extent: Extent) -> str:
        return self.text[extent[0] - self.start_char : extent[1] - self.start_char]

    def line(self, place: int) -> int:
        return self.start_line + self.text.count("\n", 0, place - self.start_char)


@dataclass(frozen=True, eq=False)
class Evidence:
    """A stretch of a document. `said` is what it tells, of a table's row with the names of its
    columns; `around` are stems said for it by title, headings and the lead-in of a list. `key` are
    the words that say which row.
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
    key: frozenset[str] = frozenset()

    @cached_property
    def stems(self) -> frozenset[str]:
        return self.said.stems | self.around

    @cached_property
    def plain_words(self) -> str:
        return plain_words(self.quote)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return self.said.quantities

    def until(self, last: Evidence) -> Evidence:
        """The stretch from here to the end of another one of the same text."""
        quote = self.origin.slice((self.start_char, last.end_char))
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


def plain_words(text: str) -> str:
    """Its words in their order, without case and marks, a space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def evidence(
    passages: Sequence[Passage], documents: Sequence[RetrievedChunk], reader: CollectionReader
) -> list[Evidence]:
    """`documents` are the whole chunks that the passages were cut from, where they are at hand."""
    chunks = {document["chunk_id"]: document for document in documents}
    found: list[Evidence] = []
    for passage in passages:
        for text in _texts(passage, chunks.get(passage["chunk_id"])):
            found += _of_text(passage, text, reader)
    return found


def _texts(passage: Passage, chunk: RetrievedChunk | None) -> list[Text]:
    if chunk is not None:
        blocks = tuple(chunk["blocks"]) or None
        return [_text(chunk["text"], chunk["start_char"], chunk["start_line"], blocks)]
    return [_text(s["text"], s["start_char"], s["start_line"]) for s in passage["spans"]]


def _text(text: str, start: int, line: int, blocks: tuple[Block, ...] | None = None) -> Text:
    return Text(text, start, line, blocks or tuple(blocks_of_text(text, base=start)))


def _of_text(passage: Passage, text: Text, reader: CollectionReader) -> Iterator[Evidence]:
    about = frozenset(terms(f"{passage['title'] or ''} {passage['heading']}"))
    heads = {block.lead for block in text.blocks if block.kind is BlockKind.ROW}
    for block in text.blocks:
        if block.extent in heads:
            continue  # told with each row
        lead = "" if block.lead is None else _slice(passage, text, block.lead, reader)
        for start, end in block_sentences(text.text, block, text.start_char):
            quote = text.slice((start, end))
            cells = cells_of_row(quote) if block.kind is BlockKind.ROW else []
            said = statement(_row(cells, cells_of_row(lead)) if cells else quote)
            yield Evidence(
                passage=passage,
                start_char=start,
                end_char=end,
                start_line=text.line(start),
                end_line=text.line(end),
                quote=quote,
                block=text.slice(block.extent),
                origin=text,
                said=said,
                around=about | frozenset(terms(lead)),
                key=words(next(filter(None, cells), "")),
            )


def _slice(passage: Passage, text: Text, extent: Extent, reader: CollectionReader) -> str:
    """A table's head may stand in an earlier chunk."""
    if text.start_char <= extent[0]:
        return text.slice(extent)
    return reader.document_text(passage["source"], *extent) or ""


def _row(cells: Sequence[str], head: Sequence[str]) -> str:
    """The row as a sentence: "Model Wren; Mass 4.5 kg"."""
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
