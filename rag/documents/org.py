"""Org-mode's notes as Markdown, line by line: every line keeps its number; headings, links, code
and quotations stand as Markdown has them, drawers and keywords are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from rag.documents import encoding
from rag.documents.cleaning import clean
from rag.documents.stream import Part, Reading
from rag.text.line_marks import ITEM, indent_of

_LONGEST = 1 << 20
"""A file of more bytes is given as it stands."""
_HEADING = re.compile(r"(\*+)[ \t]+(.*?)(?:[ \t]+:[\w@#%:]+:)?[ \t]*$")
_DRAWER = re.compile(r"[ \t]*:(?:(PROPERTIES|LOGBOOK)|[\w-]+):[ \t]*$", re.IGNORECASE)
"""The line that opens a drawer or closes it; what is in the named ones is for programs."""
_KEYWORD = re.compile(r"[ \t]*#(?:\+([\w-]+)(?:\[[^\]]*\])?:[ \t]*(.*)|[ \t].*|\+.*)?$")
_BLOCK = re.compile(r"([ \t]*)#\+(begin|end)_(\w+)", re.IGNORECASE)
_CODE = frozenset({"src", "example", "export", "comment", "latex", "html"})
_QUOTED = frozenset({"quote", "verse"})
_SAID = {"title": "# ", "caption": "", "author": "Author: ", "date": "Date: ", "description": ""}
"""What a keyword's words are shown behind; those of others are for programs."""
_RULE = re.compile(r"[ \t]*\|[-+|]+[ \t]*$")
_MARKED = re.compile(
    r"""\[\[(?P<target>[^\[\]\n]{1,1000})\](?:\[(?P<words>[^\[\]]{1,500})\])?\]
      | (?:(?<=[\s('"{-])|^)(?:
          (?P<sign>[=~])(?P<code>[^\s=~](?:[^\n=~]{0,200}[^\s=~])?)(?P=sign)
        | \*(?P<strong>[^\s*](?:[^*\n]{0,300}[^\s*])?)\*
        | /(?P<slanted>[^\s/](?:[^/\n]{0,300}[^\s/])?)/)(?=[\s.,;:!?'")}\]-]|$)
      | [ ](?P<says>::)(?=\s|$)""",
    re.VERBOSE | re.MULTILINE,
)
_PICTURE = re.compile(r".*\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)


def read(reading: Reading) -> Iterator[Part]:
    if reading.path.stat().st_size > _LONGEST:
        yield from encoding.read(reading)
    else:
        yield Part(as_markdown(clean(encoding.read_text(reading))))


def as_markdown(text: str) -> str:
    """The same number of lines."""
    shown: list[str] = []
    # What is marked may go on in the next line of a paragraph.
    for is_code, run in groupby(_lines(text.split("\n")), lambda line: line[1] or not line[0]):
        lines = [line for line, _ in run]
        shown += lines if is_code else _MARKED.sub(_shown, "\n".join(lines)).split("\n")
    return "\n".join(shown)


def _lines(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """What each line becomes, and whether it is code."""
    inside = ""  # the block that is open; ":" in a drawer
    margin: int | None = None  # that the items of the list are set in by
    for line in lines:
        block, drawer, heading = _BLOCK.match(line), _DRAWER.match(line), _HEADING.match(line)
        name = block[3].lower() if block else ""
        if block and (name == inside or inside not in _CODE):
            inside = name if block[2].lower() == "begin" else ""
            yield f"{block[1]}```" if name in _CODE else "", True
        elif inside in _CODE:
            yield line, True
        elif drawer:
            inside = ":" if drawer[1] else ""
            yield "", True
        elif inside == ":" and not heading:
            inside = ":" if line.strip() else ""
            yield "", True
        elif heading:
            inside, margin = "", None
            yield f"{'#' * min(len(heading[1]) + 1, 6)} {heading[2]}".rstrip(), False
        elif (marked := _marked(line)) is not None:
            yield marked
        else:
            indent = indent_of(line)
            if ITEM.match(line):
                margin = indent if margin is None else min(margin, indent)
            elif line.strip() and margin is not None and indent <= margin:
                margin = None
            inner = " " * (indent - margin) if margin is not None else ""
            yield ("> " * (inside in _QUOTED) + inner + line.strip()).rstrip(" "), False


def _marked(line: str) -> tuple[str, bool] | None:
    """A keyword or a comment, a line of an example, the rule in a table."""
    if keyword := _KEYWORD.match(line):
        said = _SAID.get((keyword[1] or "").lower())
        return "" if said is None else f"{said}{keyword[2]}".rstrip(), False
    if line.lstrip().startswith(": "):
        return f"    {line.lstrip()[2:]}", True
    return (line.strip().replace("+", "|"), False) if _RULE.match(line) else None


def _shown(found: re.Match[str]) -> str:
    if found["code"]:
        return f"`{found['code']}`"
    if found["strong"]:
        return f"**{found['strong']}**"
    if found["target"] and not found["words"] and _PICTURE.match(found["target"]):
        return ""
    return found["words"] or found["target"] or found["slanted"] or ":"
