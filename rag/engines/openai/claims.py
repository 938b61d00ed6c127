"""A finished reply in Markdown taken apart to claims, each with the passages it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rag.index.terms import terms
from rag.text.sentences import sentence_spans
from state.draft_claims import ClaimKind, DraftClaim

_KINDS = r"(?:source|passage|document|doc|ref|reference|citation|chunk|excerpt|context|note)s?"
_LIST = r"\d{1,4}(?:\s*(?:,|;|and|&|to|-|–)\s*#?\d{1,4}){0,15}"
_MARKER = re.compile(
    r"[ \t]*(?:"
    # [1] [1, 2] [1-3] [^1] but no link text: [1](address)
    rf"\[\^?\s*(?P<plain>{_LIST})\s*\](?!\()"
    rf"|【\s*(?P<wide>{_LIST})[^】\n]{{0,80}}】"
    # (source 3), [Passage 2 and 4], <cite>3</cite>
    rf"|[(\[](?:see\s+|cf\.?\s+)?{_KINDS}\.?\s*:?\s*#?(?P<named>{_LIST})[)\]]"
    r"|<(?:cite|ref|sup|source)\b[^<>\n]{0,80}>\s*\[?(?P<tag>\d{1,4})\]?\s*</(?:cite|ref|sup"
    r"|source)>"
    # Shapes that name nothing that was given.
    r"|\[\^?\d{1,4}[a-z]{1,2}\]|【[^】\n]{0,80}】"
    rf"|[(\[]{_KINDS}\s*[?:]?\s*[)\]]|\[(?:citation needed|cite|n|x|\?+)\]"
    r"|</?(?:cite|ref|sup|source)\b[^<>\n]{0,80}>"
    r"|\(unverified\)"  # the program's own mark, read in an earlier answer
    r")",
    re.IGNORECASE,
)
# In code, brackets are code. An unclosed fence runs to the end.
_CODE = re.compile(
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})(?:.|\n)*?(?:^[ \t]{0,3}(?P=fence)|\Z)"
    r"|`[^`\n]{1,300}`",
    re.MULTILINE,
)

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

_Marker = tuple[int, tuple[int, ...]]
"""Its place in the text without markers, and its numbers."""
_Unit = tuple[int, int, ClaimKind]
"""Where it begins and ends in the text without markers."""


def read_claims(draft: str) -> list[DraftClaim]:
    """The draft's sentences, each with the passages that its markers name."""
    plain, places = _without_markers(_without_references(draft))
    units = list(_units(plain, places))
    owners = _owners(plain, units, places)
    claims: list[DraftClaim] = []
    end = 0
    for (start, stop, kind), passages in zip(units, owners, strict=True):
        shown = plain[start:stop]
        before, end = plain[end:start], stop
        text = shown
        if kind == "claim":
            frame = _FRAME.match(shown)
            text = _LIST_LEAD.sub("", shown[frame.end() :] if frame else shown)
            text = _LEAD_IN.sub("", text)
            if frame and not terms(text):
                kind = "frame"  # noqa: PLW2901
            elif shown.rstrip().endswith(":") and not passages:
                kind = "heading"  # noqa: PLW2901
        if kind == "code":
            text = "\n".join(line for line in shown.splitlines() if not _FENCE.match(line))
        claims.append(
            {
                "kind": kind,
                "before": before,
                "shown": shown,
                "text": text,
                "passages": list(passages),
                "quotes": [],
            }
        )
    return claims


def _without_references(draft: str) -> str:
    """Without a closing list of sources: the program writes its own."""
    for match in _REFERENCES.finditer(draft):
        rest = [line for line in draft[match.end() :].splitlines() if line.strip()]
        if rest and all(
            re.match(r"\s*(?:[-*•]\s*)?(?:[\[【(]|\d{1,3}[.)])", line) for line in rest
        ):
            return draft[: match.start()]
    return draft


def _without_markers(draft: str) -> tuple[str, list[_Marker]]:
    kept: list[str] = []
    places: list[_Marker] = []
    end = length = 0
    for start, stop, numbers in _marker_spans(draft):
        kept.append(draft[end:start])
        length += start - end
        end = stop
        places.append((length, numbers))
    kept.append(draft[end:])
    return "".join(kept), places


def _marker_spans(text: str) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Each marker or pseudo-marker with the space before it, and the numbers that it names."""
    code = [match.span() for match in _CODE.finditer(text)]
    inside = 0
    for match in _MARKER.finditer(text):
        while inside < len(code) and code[inside][1] <= match.start():
            inside += 1
        if inside < len(code) and code[inside][0] <= match.start():
            continue
        group = next((group for group in match.groups() if group), "")
        yield match.start(), match.end(), tuple(dict.fromkeys(_numbers(group)))


def _numbers(group: str) -> list[int]:
    found: list[int] = []
    for piece in re.split(r",|;|&|and", group):
        ends = [int(number) for number in re.findall(r"\d{1,4}", piece)]
        if len(ends) == 2 and 0 <= ends[1] - ends[0] <= 15:
            found.extend(range(ends[0], ends[1] + 1))
        else:
            found.extend(ends)
    return found


def _units(text: str, places: Sequence[_Marker]) -> Iterator[_Unit]:
    """Sentences with their kind; a fenced block is one unit."""
    fence_start = stop = -1
    spans = list(_cut_behind_markers(text, sentence_spans(text), places))
    for (start, end), following in zip_longest(spans, spans[1:], fillvalue=(0, 0)):
        piece = text[start:end]
        stop = end
        if _FENCE.match(piece):
            if fence_start < 0:
                fence_start = start
            else:
                yield fence_start, end, "code"
                fence_start = -1
        elif fence_start < 0:
            yield start, end, _kind(piece, text[slice(*following)])
    if fence_start >= 0:
        yield fence_start, stop, "code"


def _cut_behind_markers(
    text: str, spans: Sequence[tuple[int, int]], places: Sequence[_Marker]
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
                first = end - len(text[cut:end].lstrip())
        yield first, end


def _kind(piece: str, following: str) -> ClaimKind:
    if _RULE.match(piece):
        return "table_head" if "|" in piece else "heading"
    if _ROW.match(piece) and _ROW.match(following) and _RULE.match(following):
        return "table_head"
    if _HEADING.match(piece):
        return "heading"
    return "claim"


def _owners(text: str, units: Sequence[_Unit], places: Sequence[_Marker]) -> list[tuple[int, ...]]:
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
