"""A reply in plain Markdown taken apart to sentences, each with the documents that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Literal

from rag.text.sentences import sentence_spans
from state.answer import AnswerPart, DraftQuote

Kind = Literal["claim", "heading", "table_head", "code"]

_KINDS = r"(?:source|passage|document|doc|ref|reference|citation|chunk|excerpt|context|note)s?"
_LIST = r"\d{1,4}(?:\s*(?:,|;|and|&|to|-|–)\s*#?\d{1,4}){0,15}"
_CODE_OR_MARKER = re.compile(
    # In code, brackets are code. An unclosed fence runs to the end.
    r"(?P<code>^[ \t]{0,3}(?P<fence>`{3,}|~{3,})(?:.|\n)*?(?:^[ \t]{0,3}(?P=fence)|\Z)"
    r"|`[^`\n]{1,300}`)"
    r"|[ \t]*(?:"
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
    re.IGNORECASE | re.MULTILINE,
)
_MARK = "\ue000"
"""Stands for a marker while the draft is taken apart; its numbers follow in a list of their own."""
_BEHIND = re.compile(rf"([.!?…。\uff01\uff1f][\"'”’»)*_`]*)({_MARK}+)")
_STOPPED = re.compile(rf"(?<={_MARK}[.!?])\s+")
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*\n]{1,80}\*\*:?$")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"[\s|:\-=*_+]+$")
_REFERENCES = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*)?\**(?:sources?|references?|citations?"
    r"|works cited)\**:?\**:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SOURCES = "(?:sources?|passages?|documents?|text)"
_LEAD_IN = re.compile(
    rf"^(?:according to (?:the )?{_SOURCES}"
    rf"|based on (?:the )?(?:provided |given )?(?:{_SOURCES}|context|information)"
    rf"|the {_SOURCES} (?:says?|states?|mentions?|notes?|indicates?)(?: that)?),?\s*",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\(((?:\[\d{1,3}\][\s,;]{0,3}){1,9})\)")
_LIST_LEAD = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")


def read_parts(draft: str) -> list[AnswerPart]:
    """The draft's sentences, each resting on its own words in the documents that its markers name.
    A heading, a table's head and a line that only introduces are one part with what follows.
    """
    text, markers = _with_marks(_without_references(_BRACKETED.sub(r"\1", draft)))
    named = iter(markers)
    parts: list[AnswerPart] = []
    before, end, above, opened = "", 0, "", ""
    for start, stop, kind in _units(text):
        before, end = before + text[end:start], stop
        marked = text[start:stop]
        numbers = list(dict.fromkeys(chain(*(next(named) for _ in range(marked.count(_MARK))))))
        shown = marked.replace(_MARK, "").strip()
        if not shown:  # markers on a line of their own are of what stands above
            if parts:
                parts[-1]["quotes"] += _resting(parts[-1]["text"], numbers)
            continue
        introduces = kind in ("heading", "table_head") or (shown.endswith(":") and not numbers)
        if introduces:
            opened = opened if above else before
            above += (before if above else "") + shown
            before = ""
            continue
        whole = above + before + shown if above else shown
        parts.append(
            {
                "before": opened if above else before,
                "text": whole,
                "quotes": _resting(shown, numbers),
                "located": [],
            }
        )
        before, above = "", ""
    if above:
        parts.append({"before": opened, "text": above, "quotes": [], "located": []})
    return parts


def _resting(text: str, numbers: Iterable[int]) -> list[DraftQuote]:
    words = _LEAD_IN.sub("", _LIST_LEAD.sub("", text))
    return [{"document": number, "quote": words} for number in numbers]


def _without_references(draft: str) -> str:
    """Without a closing list of sources: the program writes its own."""
    for match in _REFERENCES.finditer(draft):
        rest = [line for line in draft[match.end() :].splitlines() if line.strip()]
        if rest and all(
            re.match(r"\s*(?:[-*•]\s*)?(?:[\[【(]|\d{1,3}[.)])", line) for line in rest
        ):
            return draft[: match.start()]
    return draft


def _with_marks(draft: str) -> tuple[str, list[list[int]]]:
    """The draft with one sign for each marker or pseudo-marker, before the full stop of its
    sentence, and the numbers that each names.
    """
    named: list[list[int]] = []

    def sign(match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        named.append(_numbers(next(filter(None, match.groups()), "")))
        return _MARK

    return _BEHIND.sub(r"\2\1", _CODE_OR_MARKER.sub(sign, draft.replace(_MARK, ""))), named


def _numbers(group: str) -> list[int]:
    found: list[int] = []
    for piece in re.split(r",|;|&|and", group):
        ends = [int(number) for number in re.findall(r"\d{1,4}", piece)]
        if len(ends) == 2 and 0 <= ends[1] - ends[0] <= 15:
            found.extend(range(ends[0], ends[1] + 1))
        else:
            found.extend(ends)
    return found


def _units(text: str) -> Iterator[tuple[int, int, Kind]]:
    """Where sentences begin and end, with their kind; a fenced block is one unit."""
    fence = stop = -1
    for span, following in pairwise([*_sentences(text), (0, 0)]):
        start, stop = span
        if _FENCE.match(text[start:stop]):
            if fence < 0:
                fence = start
            else:
                yield fence, stop, "code"
                fence = -1
        elif fence < 0:
            piece, beyond = (text[slice(*each)].replace(_MARK, "") for each in (span, following))
            yield start, stop, _kind(piece, beyond)
    if fence >= 0:
        yield fence, stop, "code"


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """A full stop right behind a marker ends its sentence, whatever letter comes next."""
    for start, end in sentence_spans(text):
        for cut in _STOPPED.finditer(text, start, end):
            yield start, cut.start()
            start = cut.end()  # noqa: PLW2901
        yield start, end


def _kind(piece: str, following: str) -> Kind:
    if _RULE.match(piece):
        return "table_head" if "|" in piece else "heading"
    if _ROW.match(piece) and _ROW.match(following) and _RULE.match(following):
        return "table_head"
    if _HEADING.match(piece):
        return "heading"
    return "claim"
