"""Org and LaTeX: plain text, headings written as `# `, lines kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.documents.encoding import text_blocks
from rag.documents.stream import Part, Reading

_ORG_HEADING = re.compile(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t])?(?=\S)")
_ORG_CODE = re.compile(r"[ \t]*#\+(begin|end)_(?:src[ \t]*([\w-]*)|example)", re.IGNORECASE)
_ORG_UNSEEN = re.compile(r"[ \t]*(?:#(?: .*)?|:[\w-]+:(?: .*)?)")  # a comment, a drawer's line
_ORG_TITLE = re.compile(r"^#\+title:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_TEX_LEVELS = {"part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_TEX_HEADING = re.compile(
    r"^[ \t]*\\(part|chapter|section|subsection|subsubsection)\*?(?:\[[^\]\n]*\])?"
    r"\{((?:[^{}\n]|\{[^{}\n]*\})*)\}",
    re.MULTILINE,
)
_TEX_TITLE = re.compile(r"\\title\{((?:[^{}]|\{[^{}]*\})*)\}")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def read(reading: Reading) -> Iterator[Part]:
    """The file's text line for line; headings are rewritten, and the fences of Org's code."""
    inside: list[str] = []
    for number, block in enumerate(text_blocks(reading)):
        text = _org(block, inside) if reading.format == "org" else _latex(block)
        if number == 0:
            reading.title = _title(block, text)
        yield Part(text)


def _title(block: str, text: str) -> str | None:
    for pattern in (_ORG_TITLE, _TEX_TITLE):
        found = pattern.search(block[:20_000])
        if found:
            return found.group(1).replace("\\\\", " ")
    heading = _HEADING.search(text)
    return heading.group(1) if heading else None


def _org(text: str, inside: list[str]) -> str:
    """`inside` holds the code block that an earlier part of the text left open."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        heading, code = _ORG_HEADING.match(line), _ORG_CODE.match(line)
        if code is not None:
            begins = code.group(1).lower() == "begin"
            inside[:] = ["code"] if begins else []
            lines[index] = "```" + (code.group(2) or "" if begins else "")
        elif not inside and _ORG_UNSEEN.fullmatch(line):
            lines[index] = ""
        elif not inside and heading is not None:
            lines[index] = f"{'#' * min(len(heading.group(1)), 6)} {line[heading.end() :]}"
    return "\n".join(lines)


def _latex(text: str) -> str:
    return _TEX_HEADING.sub(
        lambda match: f"{'#' * _TEX_LEVELS[match.group(1)]} {match.group(2)}", text
    )
