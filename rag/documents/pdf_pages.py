"""Makes one text of the pages of a PDF: running heads are kept once, words broken at a line's end
are whole again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress, islice, takewhile

from rag.documents.stream import Part
from rag.text.wrapping import FIELD

_REACH = 4
"""How many pages before and behind are searched for running heads."""
_HEAD_LINES = 12
"""Where more lines come back, they are no head: a page may be one of many like it."""
_NUMBER = re.compile(r"[0-9]+")
_BROKEN = re.compile(
    r"(?<![^\s\-(\[\x22'\u00ab\u2018-\u201e])([^\W\d_]{1,40})([-\u00ad\u2010])\n"
    r"[ \t]*([^\W\d_]{1,40})(?![^\W\d_])"
)
_NUMBERED = re.compile(r"\s*[^\W\d_][^0-9]*[0-9]+\s*")
"""A title with a number: at the top of a page it may belong to that page alone."""
_COUNTS_PAGES = re.compile(
    r"\s*(?:pages?|seite|sheet|blatt|p\.|[^:\uff1a]*\d)[^:\uff1a]*[:\uff1a]", re.IGNORECASE
)
"""Matches a name before a colon that no field has: of pages, or with a number, as of a chapter."""
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def reflow(parts: Iterable[Part]) -> Iterator[Part]:
    """The parts in order, one a page, without running heads and with broken words joined."""
    pages = list(parts)
    words = {word for page in pages for word in _WORD.findall(_BROKEN.sub("", page.text).lower())}
    heads: set[str] = set()
    for at, page in enumerate(pages):
        around = [*pages[max(at - _REACH, 0) : at], *pages[at + 1 : at + 1 + _REACH]]
        text = "\n\n".join(filter(None, _without_heads(page, around, heads)))
        yield replace(page, text=_dehyphenated(f"{text}\n", words))


def _without_heads(page: Part, around: Sequence[Part], seen: set[str]) -> Iterator[str]:
    """The text without the first and last lines that come back at the same place on the pages
    around; where they stand for the first time they are kept, as a paragraph. A field of a form
    ("Checked by: Ann") stays on each page.
    """
    lines = page.text.strip().split("\n")
    others = [(other.page, other.text.strip().split("\n")) for other in around]

    def is_running_head(at: int) -> bool:
        counts = at < 0 or not _NUMBERED.fullmatch(lines[at])
        same = sum(
            -len(theirs) <= at < len(theirs)
            and _same(lines[at], theirs[at], counts and (number or 0) - (page.page or 0))
            for number, theirs in others
        )
        is_field = FIELD.match(lines[at]) and not _COUNTS_PAGES.match(lines[at])
        is_kept = " | " in lines[at] or lines[at].startswith("```") or is_field
        return same >= min(2, len(others)) > 0 and not is_kept

    def run(places: Iterable[int]) -> int:
        """How many lines come back; of more than a head has, none."""
        count = len([*takewhile(is_running_head, islice(places, _HEAD_LINES + 1))])
        return count if count <= _HEAD_LINES else 0

    first = run(range(len(lines)))
    last = max(len(lines) - run(range(-1, -len(lines) - 1, -1)), first)
    for begin, end in ((0, first), (first, last), (last, len(lines))):
        kept = lines[begin:end]
        if (begin, end) != (first, last):
            shapes = [_NUMBER.sub("0", line.strip()) for line in kept]
            new = [_LETTER.search(shape) and shape not in seen for shape in shapes]
            kept = [*compress(kept, new)]
            seen.update(shapes)
        yield "\n".join(kept).strip("\n")


def _same(line: str, other: str, pages: int) -> bool:
    """Whether two lines are alike but for the numbers that count the pages between them."""
    if _NUMBER.split(line) != _NUMBER.split(other):
        return False
    pairs = zip(_NUMBER.findall(line), _NUMBER.findall(other), strict=True)
    return all(own == theirs or int(own[-9:]) + pages == int(theirs[-9:]) for own, theirs in pairs)


def _dehyphenated(text: str, words: set[str]) -> str:
    """The text with each broken word on the line where it begins."""
    lines = text.split("\n")
    for at in range(len(lines) - 1, 0, -1):
        broken = _BROKEN.search(f"{lines[at - 1]}\n{lines[at]}")
        if broken is None or not _is_hyphenation(broken, words):
            continue
        word, _, line = lines[at].lstrip().partition(" ")
        lines[at - 1] = lines[at - 1][:-1] + word
        lines[at : at + 1] = [line] if line else []
    return "\n".join(lines)


def _is_hyphenation(broken: re.Match[str], words: set[str]) -> bool:
    """Whether a hyphen at a line's end was put there by a typesetter. A soft one was; a plain one
    was if the joined word stands elsewhere, or if neither the hyphenated word nor both halves do.
    """
    start, end = broken[1].lower(), broken[3].lower()
    if broken[2] != "-" or start + end in words:
        return True
    return broken[3][0].islower() and f"{start}-{end}" not in words and not {start, end} <= words
