"""Makes one text of the pages of a PDF: running heads are kept once, words broken at a line's end
are whole again.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rag.documents.stream import Part

_REACH = 4
"""How many pages before and behind are searched for running heads."""
_HEAD_LINES = 6
_NUMBER = re.compile(r"[0-9]+")
_BROKEN = re.compile(
    r"(?<![^\s\-(\[\x22'\u00ab\u2018-\u201e])([^\W\d_]{1,40})([-\u00ad\u2010])\n"
    r"[ \t]*([^\W\d_]{1,40})(?![^\W\d_])"
)
_NUMBERED = re.compile(r"\s*[^\W\d_][^0-9]*[0-9]+\s*")
"""A title with a number: at the top of a page it may belong to that page alone."""
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def reflow(parts: Iterable[Part]) -> Iterator[Part]:
    """The parts in order, one a page, without running heads and with broken words joined."""
    before: deque[Part] = deque(maxlen=_REACH)
    ahead: deque[Part] = deque()
    heads: set[str] = set()
    words: set[str] = set()
    source = iter(parts)
    while True:
        while len(ahead) <= _REACH and (part := next(source, None)) is not None:
            ahead.append(part)
            words.update(_WORD.findall(_BROKEN.sub("", part.text).lower()))
        if not ahead:
            return
        part = ahead.popleft()
        text = _without_heads(part, [*before, *list(ahead)[:_REACH]], heads)
        yield replace(part, text=_dehyphenated(text, words))
        before.append(part)


def _without_heads(part: Part, others: Sequence[Part], seen: set[str]) -> str:
    """The text without the first and last lines that come back at the same place on the pages
    around; where they stand for the first time they are kept, as a paragraph.
    """
    lines = part.text.strip().split("\n")
    most = min(_HEAD_LINES, len(lines))
    pages = [(other.page, other.text.strip().split("\n")) for other in others]

    def is_running_head(at: int) -> bool:
        counts = at < 0 or not _NUMBERED.fullmatch(lines[at])
        same = sum(
            -len(theirs) <= at < len(theirs)
            and _same(lines[at], theirs[at], counts and (page or 0) - (part.page or 0))
            for page, theirs in pages
        )
        is_kept = " | " in lines[at] or lines[at].startswith("```")
        return same >= min(2, len(pages)) > 0 and not is_kept

    first = next((at for at in range(most) if not is_running_head(at)), most)
    last = next((at for at in range(most) if not is_running_head(-1 - at)), most)
    last = max(len(lines) - last, first)

    def new(heads: Sequence[str]) -> list[str]:
        shapes = [_NUMBER.sub("0", line.strip()) for line in heads]
        said = [
            line
            for line, shape in zip(heads, shapes, strict=True)
            if shape not in seen and _LETTER.search(shape)
        ]
        seen.update(shapes)
        return said

    kept = [
        "\n".join(each).strip("\n")
        for each in (new(lines[:first]), lines[first:last], new(lines[last:]))
    ]
    return "\n\n".join(each for each in kept if each) + "\n"


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
