"""LaTeX: plain text, headings written as `# `, lines kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.documents.encoding import text_blocks
from rag.documents.stream import Part, Reading

_TEX_LEVELS = {"part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_TEX_HEADING = re.compile(
    r"^[ \t]*\\(part|chapter|section|subsection|subsubsection)\*?(?:\[[^\]\n]*\])?"
    r"\{((?:[^{}\n]|\{[^{}\n]*\})*)\}",
    re.MULTILINE,
)
_TEX_TITLE = re.compile(r"\\title\{((?:[^{}]|\{[^{}]*\})*)\}")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def read(reading: Reading) -> Iterator[Part]:
    """The file's text line for line; headings are rewritten."""
    for number, block in enumerate(text_blocks(reading)):
        text = _latex(block)
        if number == 0:
            reading.title = _title(block, text)
        yield Part(text)


def _title(block: str, text: str) -> str | None:
    found = _TEX_TITLE.search(block[:20_000]) or _HEADING.search(text)
    return found.group(1).replace("\\\\", " ") if found else None


def _latex(text: str) -> str:
    return _TEX_HEADING.sub(
        lambda match: f"{'#' * _TEX_LEVELS[match.group(1)]} {match.group(2)}", text
    )
