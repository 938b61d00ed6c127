"""The lines of Markdown that only programs read: tags and a generator's marks alone, comments,
scripts, fences around prose, link definitions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.text.line_marks import GLANCE

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
_DIRECTIVE = re.compile(
    r"[ \t]*(`{3,})\{(?:(toctree)|admonition|note|warning|tip|important|caution|danger|hint"
    r"|attention|error|seealso|versionadded|versionchanged|deprecated|dropdown|tab-item|tab-set"
    r"|card|grid)\}"
)
"""The fence of what MyST reads as prose, or as a list of pages."""
_OPENS = re.compile(r"[ \t>]*<(!--(?!.*?-->[ \t]*[^\s<])|script\b|style\b)", re.IGNORECASE)
"""What begins a comment, script or style; no comment with words behind it in its line."""
_CLOSES = {"!--": "-->", "script": "</script>", "style": "</style>"}


@dataclass(slots=True)
class MarkupFilter:
    """What is open where the next line begins."""

    _closes: str = ""  # what ends a comment or a script
    _fence: str = ""  # the one that is open around prose

    @property
    def is_open(self) -> bool:
        """Whether a comment or a script goes on, over blank lines too."""
        return bool(self._closes)

    def drops(self, line: str) -> bool:
        """Whether only programs read this line; notes what it opens and closes."""
        glance = line[:GLANCE]
        if self._fence and line.strip() == self._fence:
            self._fence = ""
            return True
        if "`{" in line and (directive := _DIRECTIVE.match(glance)) is not None:
            if directive[2]:
                self._closes = directive[1]
            else:
                self._fence = directive[1]
            return True
        if not self._closes:
            opens = _OPENS.match(glance)
            if opens is None:
                return glance == line and _is_for_programs(line)
            self._closes = _CLOSES[opens[1].lower()]
        if self._closes in line.lower():
            self._closes = ""
        return True


def _is_for_programs(line: str) -> bool:
    """Whether a line holds only tags, marks of a generator or a link's definition."""
    begins = line.lstrip()[:1]
    return bool(
        (begins in "<{:i[!/-*+" and (_ALONE.fullmatch(line) or _LINK.match(line)))
        or (begins in "!?=" and ADMONITION.match(line))
    )
