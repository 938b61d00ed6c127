"""A collection's table of contents, as a planner sees it: paths, titles, sizes and headings of the
documents nearest to the question first, then the other titles; never text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.index.protocol import CollectionReader
from rag.text.prose import one_line
from state.tokens import count_tokens

MOST_TOKENS = 1_500
SEARCHED = 40
MOST_NAMES = 300
MOST_HEADINGS = 8
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
    headings: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for question in asked:
        for chunk in reader.search(question, SEARCHED):
            titles[chunk["source"]] = one_line(chunk["title"] or chunk["source"])
            last = one_line(chunk["heading"]).rpartition(" > ")[2][:LONGEST_HEADING]
            near = headings.setdefault(chunk["source"], [])
            if last and last not in near and last != titles[chunk["source"]]:
                near.append(last)
    yield f"{reader.document_count} documents."
    for source, near in headings.items():
        document = reader.document(source)
        size = f", {document.characters:,} characters" if document is not None else ""
        told = " | ".join(near[:MOST_HEADINGS])
        yield f"- {source} ({titles[source]}{size})" + (f": {told}" if told else "")
    for name in reader.document_names(MOST_NAMES):
        if name not in titles.values():
            yield f"- {one_line(name)}"
