"""Markdown: the text as it stands; the title from its front matter or first heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.documents.encoding import text_blocks
from rag.documents.stream import Part, Reading

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"""^title:[ \t]*(["']?)(.+?)\1[ \t]*$""", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$|^(\S[^\n]*)\n=+[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def read(reading: Reading) -> Iterator[Part]:
    """The file's text, blocks first to last."""
    first = True
    for block in text_blocks(reading):
        if first:
            reading.title = title(block[:20_000])
            first = False
        yield Part(block)


def title(text: str) -> str | None:
    """The title that front matter or the first heading outside code gives."""
    front = _FRONT_MATTER.match(text)
    if front:
        named = _FRONT_TITLE.search(front.group(1))
        if named:
            return named.group(2)
        text = text[front.end() :]
    heading = _HEADING.search(_FENCE.sub("", text))
    return heading and (heading.group(1) or heading.group(2))
