"""A collection's table of contents, as a planner sees it: paths, titles, sizes and headings, those
of the documents nearest to each part of the question first; never text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.context import interleaved
from rag.index.protocol import DocumentOutline
from rag.index.reader import CollectionReader
from rag.research.local_researcher import asked_parts
from rag.text.prose import one_line
from state.tokens import count_tokens

MOST_TOKENS = 1_500
SEARCHED = 40
MOST_DOCUMENTS = 500
MOST_HEADINGS = 12
LONGEST_HEADING = 60


def table_of_contents(reader: CollectionReader, asked: Sequence[str]) -> str:
    """Lines of at most 1,500 tokens together; `asked` says what is near."""
    lines: list[str] = []
    left = MOST_TOKENS
    for line in _lines(reader, asked):
        left -= count_tokens(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _lines(reader: CollectionReader, asked: Sequence[str]) -> Iterator[str]:
    outlines = {outline.source: outline for outline in reader.outline(MOST_DOCUMENTS)}
    parts = (part for question in asked for part in asked_parts(question))
    found = interleaved([reader.search(part, SEARCHED) for part in parts])
    near = [outlines.pop(s) for s in dict.fromkeys(c["source"] for c in found) if s in outlines]
    yield f"{reader.document_count} documents."
    for outline in near:
        yield _line(outline, MOST_HEADINGS)
    for outline in outlines.values():
        yield _line(outline, 0)


def _line(outline: DocumentOutline, most: int) -> str:
    title = one_line(outline.title or outline.source)
    last = (one_line(path.rpartition(" > ")[2])[:LONGEST_HEADING] for path in outline.headings)
    told = [heading for heading in dict.fromkeys(last) if heading and heading != title][:most]
    line = f"- {outline.source} ({title}, {outline.characters:,} characters)"
    return f"{line}: {' | '.join(told)}" if told else line
