"""What of Markdown only programs read: the fields that a file begins with, and the lines of tags
and a generator's marks alone, comments, scripts, link definitions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.text.line_marks import GLANCE
from rag.text.wrapping import stripped
from state.blocks import Block, BlockKind

_TAG = r"</?(?!(?:pre|script|style|textarea)\b)[A-Za-z][\w.:-]*(?:\s[^<>\n]{0,500})?/?>"
_MARK = rf"(?:\{{\{{[<%*/][^\n]{{0,500}}?\}}\}}|\{{%[^\n]{{0,500}}?%\}}|{_TAG})"
_IMAGE = (
    r"(?:!\[[^\[\]\n]{0,80}\]\([^()\n]{0,500}\)(?:\{[^{}\n]{0,200}\})?"
    r"|!\[\[[^\[\]\n]{1,300}\]\])"
)
_ALONE = re.compile(
    rf"[ \t]*(?:(?:(?:{_MARK}|{_IMAGE}|\[{_IMAGE}\]\([^()\n]{{0,500}}\))[ \t]*){{1,8}}"
    r"|:::+.*|///+(?:[ \t]+[\w-]+)?(?:[ \t]*\|.*)?|import\s.{0,200}\sfrom\s+[\"'].*"
    r"|[-*+][ \t]+\[[^\[\]\n]{1,200}\]\(#[^()\s]{1,200}\)[ \t]*)"
)
"""A line of marks that a site's generator reads, of tags, of pictures with a short name, or of a
table of contents; their words are no one's, or stand elsewhere.
"""
_LINK = re.compile(
    r"[ ]{0,3}\[(?!\^)[^\[\]]{1,300}\]:[ \t]*\S+(?:[ \t]+[\"'(][^\n]*[\"')])?[ \t]*$"
)
ADMONITION = re.compile(
    r"[ \t]*(?:(?:!!!|\?\?\?\+?)[ \t]+[\w -]{1,60}|===[!+]{0,2}(?=[ \t]+\"))"
    r"[ \t]*(?:\"([^\"\n]*)\"[ \t]*)?$"
)
"""A line above what is set in below it: MkDocs' admonitions and tabs, each with its title."""
_OPENS = re.compile(r"[ \t>]*<(!--(?!.*?-->[ \t]*[^\s<])|script\b|style\b)", re.IGNORECASE)
"""What begins a comment, script or style; no comment with words behind it in its line."""
_CLOSES = {"!--": "-->", "script": "</script>", "style": "</style>"}

_MOST_CHARS = 20_000
_BOUNDS = re.compile(r"(---|\+\+\+)[ \t]*\n(?:(.*?)\n)??(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = r"[^\s#\-][^:=\n]{0,80}[:=](?:\s|$)"
_FIELD = re.compile(rf"^(?={_KEY}).*(?:\n(?!{_KEY}|#).*)*", re.MULTILINE)
"""A key with the lines that belong to it, up to the next or a comment."""
_PASSED_OVER = re.compile(r"^[ \t]*(?:#.*|\[[^\[\]\n]*\][ \t]*$)", re.MULTILINE)
"""A comment, or the name of a table of TOML."""


def lines_for_programs(lines: Sequence[str], at: int) -> int:
    """How many lines from this one on only programs read: a comment, a script or a style to its
    end, or a line of marks alone.
    """
    line = lines[at]
    opens = _OPENS.match(line[:GLANCE])
    if opens is None:
        return int(len(line) <= GLANCE and _is_for_programs(line))
    ends = _CLOSES[opens[1].lower()]
    stop = next((n for n in range(at, len(lines)) if ends in lines[n].lower()), len(lines))
    return stop + 1 - at


def _is_for_programs(line: str) -> bool:
    """Whether a line holds only tags, marks of a generator or a link's definition."""
    begins = line.lstrip()[:1]
    return bool(
        (begins in "<{:i[!/-*+" and (_ALONE.fullmatch(line) or _LINK.match(line)))
        or (begins in "!?=" and ADMONITION.match(line))
    )


def front_matter(text: str) -> tuple[list[Block], int]:
    """The fields, each with the lines that belong to it, and the offset in `text` behind the front
    matter: 0 where there is none.
    """
    bounds = _BOUNDS.match(text[:_MOST_CHARS])
    if bounds is None:
        return [], 0
    begin, end = bounds.span(2) if bounds[2] else (0, 0)
    found = [stripped(text, *field.span()) for field in _FIELD.finditer(text, begin, end)]
    before = _PASSED_OVER.sub("", text[begin : found[0][0]]) if found else text[begin:end]
    if before.strip():
        return [], 0  # prose between two lines across
    fields = [Block(BlockKind.METADATA, *extent) for extent in found]
    return fields, bounds.end()
