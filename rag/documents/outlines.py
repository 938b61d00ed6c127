"""reStructuredText, AsciiDoc, Org, LaTeX: plain text, headings written as `# `, lines kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from rag.documents.encoding import text_blocks
from rag.documents.stream import Part, Reading

_RST_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
_ADOC_HEADING = re.compile(r"^(={1,6})[ \t]+(?=\S)", re.MULTILINE)
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
    return rewritten(text_blocks(reading), reading)


def rewritten(blocks: Iterable[str], reading: Reading) -> Iterator[Part]:
    rewrite = _REWRITES[reading.format]
    levels: list[str] = []
    for number, block in enumerate(blocks):
        text = rewrite(block, levels)
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


def _rst(text: str, levels: list[str]) -> str:
    """Titles underlined, or over- and underlined; the order in which the styles of underline
    first appear is the order of the levels.
    """
    lines = text.split("\n")
    for index in range(1, len(lines)):
        title, rule = lines[index - 1], lines[index]
        if not _is_rule(rule) or not title.strip() or _is_rule(title) or title[0] in " \t.":
            continue
        before = lines[index - 2] if index > 1 else ""
        over = _is_rule(before) and before.strip() == rule.strip()
        if len(rule.strip()) < len(title.rstrip()) or (before.strip() and not over):
            continue
        style = rule[0] * (2 if over else 1)
        if style not in levels:
            levels.append(style)
        lines[index - 1] = f"{'#' * min(levels.index(style) + 1, 6)} {title.strip()}"
        lines[index] = ""
        if over:
            lines[index - 2] = ""
    return "\n".join(lines)


def _is_rule(line: str) -> bool:
    return _RST_RULE.fullmatch(line) is not None


def _asciidoc(text: str, _levels: list[str]) -> str:
    return _ADOC_HEADING.sub(lambda match: "#" * len(match.group(1)) + " ", text)


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


def _latex(text: str, _levels: list[str]) -> str:
    return _TEX_HEADING.sub(
        lambda match: f"{'#' * _TEX_LEVELS[match.group(1)]} {match.group(2)}", text
    )


_REWRITES: dict[str, Callable[[str, list[str]], str]] = {
    "rst": _rst,
    "asciidoc": _asciidoc,
    "org": _org,
    "latex": _latex,
}
