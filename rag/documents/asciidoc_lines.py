"""What a line of AsciiDoc looks like."""

from __future__ import annotations

import re

DIRECTIVE = re.compile(r"(\\?)(include|ifdef|ifndef|ifeval|endif)::\S*?\[(.*)\]\s*$")
ATTRIBUTE = re.compile(r":(!?[A-Za-z0-9_][\w-]*!?):(?:[ \t]+(.*))?$")
AUTHOR = re.compile(r"(?:[^\W\d_][\w'.-]*(?: [\w'.-]+){0,2}(?: <[^<>\s]+>)?(?:; |$))+$")
STYLE_LINE = re.compile(r"\[(?:[A-Za-z_.#%{,\"'].*|\[[^\[\]]*\])?\]$")
ANCHOR = re.compile(r"\[(?:\[([^\[\],]+)(?:,([^\[\]]*))?\]|[\w-]*#([\w:.-]+).*)\]$")
SECTION = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
TITLE = re.compile(r"\.(\.?[^\s.].*)$")
DELIMITER = re.compile(r"(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|`{3,}[\w+-]*)$")
TABLE = re.compile(r"[|,:!]={3,}$")
BREAK = re.compile(r"(?:'{3,}|<{3,}|-{3}|- - -|\*{3}|\* \* \*)$")
MACRO = re.compile(r"[A-Za-z_][\w-]*::\S*\[.*\]$")
ITEM = re.compile(
    r"\s*(-|\*{1,5}|\u2022|\.{1,5}|\d{1,9}\.|[a-zA-Z]\.|[ivxIVX]{1,9}\)|<(?:\d{1,4}|\.)>)[ \t]+\S"
)
TERM = re.compile(r"\s*(?!//)(\S.*?)(:{2,4}|;;)(?:[ \t]+(\S.*))?\s*$")

OF_THE_DOCUMENT = frozenset(
    {"title", "author", "email", "revnumber", "revdate", "revremark", "description", "keywords"}
)
"""The attributes that the language has for what a document is; all others are settings."""
ADMONITIONS = frozenset({"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"})
ADMONITION = re.compile(rf"(?:{'|'.join(sorted(ADMONITIONS))}):\s")
LITERAL_STYLES = frozenset(  # a list of strings would take a line each
    """listing source literal synopsis pass stem latexmath asciimath diagram plantuml mermaid
    graphviz ditaa""".split()  # noqa: SIM905
)

_UNDERLINES = "=-~^+"
_WORD = re.compile(r"\w")


def underlined_level(title: str, rule: str) -> int:
    """The level of a heading that is underlined, or 0 where it is none."""
    title, rule = title.rstrip(), rule.rstrip()
    if len(rule) < 2 or rule[0] not in _UNDERLINES or rule.strip(rule[0]):
        return 0
    if abs(len(title) - len(rule)) > 1 or title[:1] in (" ", "\t", ".", "") or ITEM.match(title):
        return 0
    return _UNDERLINES.index(rule[0]) + 1 if _WORD.search(title) else 0


def list_marker(line: str) -> str | None:
    """What all items of a list have in common that the line is an item of."""
    item = ITEM.match(line)
    if item is None:
        return None
    mark = item.group(1)
    if mark[0] in "-*\u2022.":
        return mark
    return "<" if mark[0] == "<" else "1" if mark[0].isdigit() else f"a{mark[-1]}"


def style_of(line: str) -> str:
    """The first word of a block's attributes: `source` of `[source,python]`."""
    found = re.match(r"\[([A-Za-z][\w-]*)", line)
    return found.group(1) if found else ""
