"""A draft in Markdown taken apart to claims with their markers, and put together again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag.answering.markers import marker_spans
from rag.index.terms import terms
from rag.text.sentences import sentence_spans

_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*\n]{1,80}\*\*:?$")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"[\s|:\-=*_+]+$")
_REFERENCES = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*)?\**(?:sources?|references?|citations?"
    r"|works cited)\**:?\**:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FRAME = re.compile(
    r"(?:however, )?(?:the|these|those|both|two)?\s*(?:sources|documents|passages)\s+"
    r"(?:disagree|differ|contradict|conflict)[^.:;]{0,60}[.:;]?\s*",
    re.IGNORECASE,
)
_SOURCES = "(?:sources?|passages?|documents?|text)"
_LEAD_IN = re.compile(
    rf"^(?:according to (?:the )?{_SOURCES}"
    rf"|based on (?:the )?(?:provided |given )?(?:{_SOURCES}|context|information)"
    rf"|the {_SOURCES} (?:says?|states?|mentions?|notes?|indicates?)(?: that)?),?\s*",
    re.IGNORECASE,
)
_LIST_LEAD = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_CLOSERS = "\"'”’»)*_`"


class Kind(StrEnum):
    CLAIM = "claim"
    FRAME = "frame"  # "The sources disagree:"; stays while claims follow it
    HEADING = "heading"  # stays while a claim of its section does
    TABLE_HEAD = "table_head"
    CODE = "code"  # a whole fenced block, checked as one claim


@dataclass(frozen=True, slots=True)
class Piece:
    """`before` is the whitespace in front; `shown` the drafted text without its markers;
    `text` what is checked.
    """

    index: int
    kind: Kind
    before: str
    shown: str
    text: str
    markers: tuple[int, ...]

    @property
    def is_claim(self) -> bool:
        return self.kind in (Kind.CLAIM, Kind.CODE) and bool(terms(self.text))


def read_draft(draft: str) -> list[Piece]:
    draft = _without_references(draft)
    plain, places = _without_markers(draft)
    units = list(_units(plain, places))
    owners = _owners(plain, units, places)
    pieces: list[Piece] = []
    end = 0
    for index, (start, stop, kind) in enumerate(units):
        shown = plain[start:stop]
        before, end = plain[end:start], stop
        text = shown
        if kind is Kind.CLAIM:
            frame = _FRAME.match(shown)
            text = _LIST_LEAD.sub("", shown[frame.end() :] if frame else shown)
            text = _LEAD_IN.sub("", text)
            if frame and not terms(text):
                kind = Kind.FRAME  # noqa: PLW2901
            elif shown.rstrip().endswith(":") and not owners[index]:
                kind = Kind.HEADING  # noqa: PLW2901
        if kind is Kind.CODE:
            text = "\n".join(line for line in shown.splitlines() if not _FENCE.match(line))
        pieces.append(Piece(index, kind, before, shown, text, owners[index]))
    return pieces


def assemble(pieces: Sequence[Piece], kept: Mapping[Piece, tuple[int, ...]]) -> str:
    """The draft again with the kept claims only, each with its new markers."""
    shown: list[Piece] = []
    for place, piece in enumerate(pieces):
        if piece in kept or (not _needs_support(piece) and _is_needed(pieces, place, kept)):
            shown.append(piece)
    text = ""
    last = -1
    for piece in shown:
        # A gap left by a dropped sentence must not glue or tear paragraphs.
        text += _widest([p.before for p in pieces[last + 1 : piece.index + 1]]) if text else ""
        text += _marked(piece, kept.get(piece, ()))
        last = piece.index
    return text.strip()


def _needs_support(piece: Piece) -> bool:
    return piece.kind in (Kind.CLAIM, Kind.CODE)


def _is_needed(pieces: Sequence[Piece], place: int, kept: Mapping[Piece, tuple[int, ...]]) -> bool:
    """Whether a claim that a heading, a frame or a table's head introduces is still there."""
    kind = pieces[place].kind
    for piece in pieces[place + 1 :]:
        if piece in kept:
            return True
        if piece.kind is kind and kind is not Kind.TABLE_HEAD:
            return False
        if kind is Kind.TABLE_HEAD and not _ROW.match(piece.shown) and not _RULE.match(piece.shown):
            return False
    return False


def _widest(gaps: Sequence[str]) -> str:
    return max(gaps, key=lambda gap: (min(gap.count("\n"), 2), len(gap)), default="")


def _marked(piece: Piece, markers: Sequence[int]) -> str:
    if not markers:
        return piece.shown
    signs = "".join(f"[{number}]" for number in markers)
    text = piece.shown.rstrip()
    if piece.kind is Kind.CODE:
        return f"{text}\n{signs}"
    if _ROW.match(text):
        body = text.rstrip().removesuffix("|").rstrip()
        return f"{body} {signs} |"
    core = text.rstrip(_CLOSERS)
    if core.endswith("...") or not core.endswith((".", "。", ":")):
        return f"{text} {signs}"
    if core != text:
        return f"{text} {signs}"
    return f"{text[:-1]} {signs}{text[-1]}"


def _without_references(draft: str) -> str:
    """Without a closing list of sources: the program writes its own."""
    for match in _REFERENCES.finditer(draft):
        rest = [line for line in draft[match.end() :].splitlines() if line.strip()]
        if rest and all(
            re.match(r"\s*(?:[-*•]\s*)?(?:[\[【(]|\d{1,3}[.)])", line) for line in rest
        ):
            return draft[: match.start()]
    return draft


def _without_markers(draft: str) -> tuple[str, list[tuple[int, tuple[int, ...]]]]:
    """The text and, for each marker, its place in that text and its numbers."""
    kept: list[str] = []
    places: list[tuple[int, tuple[int, ...]]] = []
    end = length = 0
    for start, stop, numbers in marker_spans(draft):
        kept.append(draft[end:start])
        length += start - end
        end = stop
        places.append((length, numbers))
    kept.append(draft[end:])
    return "".join(kept), places


def _units(
    text: str, places: Sequence[tuple[int, tuple[int, ...]]]
) -> Iterator[tuple[int, int, Kind]]:
    """Sentences with their kind; a fenced block is one unit."""
    fence_start = -1
    spans = list(_cut_behind_markers(text, sentence_spans(text), places))
    stop = 0
    for i, (start, end) in enumerate(spans):
        piece = text[start:end]
        stop = end
        if _FENCE.match(piece):
            if fence_start < 0:
                fence_start = start
            else:
                yield fence_start, end, Kind.CODE
                fence_start = -1
        elif fence_start < 0:
            yield (
                start,
                end,
                _kind(piece, text[spans[i + 1][0] : spans[i + 1][1]] if i + 1 < len(spans) else ""),
            )
    if fence_start >= 0:
        yield fence_start, stop, Kind.CODE


def _cut_behind_markers(
    text: str, spans: Sequence[tuple[int, int]], places: Sequence[tuple[int, tuple[int, ...]]]
) -> Iterator[tuple[int, int]]:
    """A full stop right behind a marker ends its claim, whatever letter comes next."""
    cuts = [
        place + 1
        for place, _ in places
        if text[place : place + 1] in {".", "!", "?"} and text[place + 1 : place + 2].isspace()
    ]
    for start, end in spans:
        first = start
        for cut in cuts:
            if first < cut < end:
                yield first, cut
                first = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
        yield first, end


def _kind(piece: str, following: str) -> Kind:
    if _RULE.match(piece):
        return Kind.TABLE_HEAD if "|" in piece else Kind.HEADING
    if _ROW.match(piece) and _ROW.match(following) and _RULE.match(following):
        return Kind.TABLE_HEAD
    if _HEADING.match(piece):
        return Kind.HEADING
    return Kind.CLAIM


def _owners(
    text: str,
    units: Sequence[tuple[int, int, Kind]],
    places: Sequence[tuple[int, tuple[int, ...]]],
) -> list[tuple[int, ...]]:
    """The numbers of each unit: a marker belongs to the sentence it stands in or behind."""
    owned: list[list[int]] = [[] for _ in units]
    current = 0
    for place, numbers in places:
        while current + 1 < len(units) and units[current + 1][0] < place:
            current += 1
        # At the very start of a line a marker is the next sentence's.
        leads = not text[:place].rpartition("\n")[2].strip()
        target = current
        if leads and current + 1 < len(units) and units[current][1] < place:
            target = current + 1
        if units:
            owned[target].extend(numbers)
    return [tuple(dict.fromkeys(numbers)) for numbers in owned]
