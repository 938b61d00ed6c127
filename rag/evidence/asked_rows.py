"""Which rows of a table a question asks for: those that it names, or the one where a column is
greatest or least.

The header, the caption and the headings are said for every row, so they tell none from another:
rows are weighed by the rest of the question.
"""

# ruff: noqa: SIM905

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.embed.builtin import fitted_embedder
from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.question.parse import ParsedQuestion, share
from rag.text.row_cells import cells_of_row
from state.blocks import Block, BlockKind, Extent
from state.passages import RetrievedChunk, text_between

_UNREAD = str.maketrans("\u2212", "-", "$€£%, ")
_GREATEST = frozenset(
    "largest biggest highest longest tallest greatest heaviest widest deepest fastest hottest"
    " warmest latest newest most maximum max".split()
)
_LEAST = frozenset(
    "smallest lowest shortest lightest narrowest slowest coldest coolest earliest oldest cheapest"
    " least fewest minimum min".split()
)
_NUMERIC = 0.8
"""The share of a column's cells that are numbers, where it can be greatest or least."""
ABOUT_THE_MOST = 0.75
"""Of what the likeliest row has of the question, what another must have to be shown with it."""

_LAST_BREAKS = 2
"""Line feeds behind the last row of a document."""


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table that a chunk holds. `rows` are without the header, whose text is
    `header`; `caption` is what stands above that, or empty; `said` are the terms that hold for
    every row; `whole` says that none is elsewhere.
    """

    chunk: RetrievedChunk
    header: str
    header_extent: Extent
    rows: Sequence[Block]
    caption: str
    said: frozenset[str]
    whole: bool

    def text(self, row: Block) -> str:
        return text_between(self.chunk, *row.extent)


def table_at(chunk: RetrievedChunk, block: Block, reader: CollectionReader) -> Table | None:
    """The table that a row of a chunk belongs to; None where it has no header."""
    blocks = chunk["blocks"]
    lead = block.lead
    if lead is None or any(each.lead == block.extent for each in blocks):
        lead = block.extent
    rows = [each for each in blocks if each.kind is BlockKind.ROW and each.lead == lead]
    if not rows:
        return None
    header = text_at(chunk, lead, reader)
    caption = _caption(blocks, lead)
    shown = "" if caption is None else text_at(chunk, caption, reader)
    said = frozenset(terms(f"{chunk['title'] or ''} {chunk['heading']} {shown} {header}"))
    whole = lead[0] >= chunk["start_char"] and _ends(chunk, rows, reader)
    return Table(chunk, header, lead, rows, shown, said, whole)


def _caption(blocks: Sequence[Block], header: Extent) -> Extent | None:
    """What introduces the table, or the heading right above it."""
    above: Block | None = None
    for block in blocks:
        if block.extent == header:
            own = above if above is not None and above.kind is BlockKind.HEADING else None
            return block.lead or (own.extent if own is not None else None)
        above = block
    return None


def asked_rows(
    table: Table, among: Sequence[Block], question: ParsedQuestion, reader: CollectionReader
) -> Sequence[Block]:
    """The rows `among` those of the table that the question names, with those between them, or the
    one that it asks for by a superlative; none where it tells none from the others.
    """
    if len(among) == 1:
        return among
    own = {term: weight for term, weight in question.weights.items() if term not in table.said}
    held = [_names(own, table.text(row)) for row in among]
    most = max(held, default=0.0)
    named = [
        row for row, each in zip(among, held, strict=True) if each >= ABOUT_THE_MOST * most > 0
    ]
    if len(named) != 1:
        found = _extreme_row(table, question, reader, named or table.rows)
        if found is not None:
            return [found]
    if not named or len(named) == len(among):
        return []
    return among[among.index(named[0]) : among.index(named[-1]) + 1]


def _names(own: Mapping[str, float], row: str) -> float:
    """How much of what only the question's row says stands there; in its first cell twice, for
    other rows may speak of it.
    """
    key = next(filter(None, cells_of_row(row)), "")
    return share(own, set(terms(row))) + share(own, set(terms(key)))


def _extreme_row(
    table: Table, question: ParsedQuestion, reader: CollectionReader, rows: Sequence[Block]
) -> Block | None:
    """The one of the rows where the column that is asked for is greatest or least; None where none
    is asked for, or the table is not all here.
    """
    words = {word.strip("?.,") for word in question.text.casefold().split()}
    sign = 1 if words & _GREATEST else -1 if words & _LEAST else 0
    if not sign or not table.whole:
        return None
    cells = [cells_of_row(table.text(row)) for row in rows]
    column = _column(cells_of_row(table.header), cells, question, reader)
    if column is None:
        return None
    numbers = {
        row: number
        for row, each in zip(rows, cells, strict=True)
        if column < len(each) and (number := _number(each[column])) is not None
    }
    return max(numbers, key=lambda row: sign * numbers[row], default=None)


def _column(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    question: ParsedQuestion,
    reader: CollectionReader,
) -> int | None:
    """Of the columns of numbers the one that the question comes nearest to in meaning."""
    numeric = [
        place
        for place in range(len(header))
        if sum(place < len(row) and _number(row[place]) is not None for row in rows)
        >= _NUMERIC * max(len(rows), 1)
    ]
    if not numeric:
        return None
    embedder = fitted_embedder(reader.embedder)
    texts = [header[place] or " " for place in numeric]
    near = embedder.embed_documents(texts) @ embedder.embed_query(question.text)
    return numeric[int(near.argmax())]


def _number(cell: str) -> float | None:
    plain = cell.translate(_UNREAD)
    try:
        return float(plain) if plain[-1:].isdigit() else None
    except ValueError:
        return None


def _ends(chunk: RetrievedChunk, rows: Sequence[Block], reader: CollectionReader) -> bool:
    """Whether the table ends in the chunk: something else follows there, or nothing at all."""
    last = max(row.end_char for row in rows)
    if any(block.start_char >= last for block in chunk["blocks"]):
        return True
    document = reader.document(chunk["source"])
    return document is not None and document.characters - last <= _LAST_BREAKS


def text_at(chunk: RetrievedChunk, extent: Extent, reader: CollectionReader) -> str:
    """What stands there, in the chunk or before it."""
    if extent[0] >= chunk["start_char"]:
        return text_between(chunk, *extent)
    return reader.document_text(chunk["source"], *extent) or ""
