"""Splits a reply in plain Markdown into sentences, each with the documents that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.text.sentences import sentence_spans
from state.answer import AnswerPart

# [1] [1, 2], but no link text: [1](address)
_SIGN = r"\[\s*[1-9]\d{0,3}(?:\s*[,;]\s*\d{1,4}){0,15}\s*\](?!\()"
CODE = r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})(?:.|\n)*?(?:^[ \t]{0,3}(?P=fence)[`~]*|\Z)"
_FENCED = re.compile(CODE, re.MULTILINE)
_NAMING = r"(?:according to|based on|as \w+ (?:in|by))"


def _markers(sign: str) -> re.Pattern[str]:
    """Matches code, in which an index may look like a marker; markers that stand for the name of a
    document; and those behind what they prove.
    """
    return re.compile(
        rf"(?P<code>{CODE}|`[^`\n]+`)"
        rf"|\b(?P<lead>{_NAMING})"
        rf"(?P<names>\s+(?:the )?(?:documents? )?{sign}(?:(?:,|,? and) {sign})*)"
        rf"|(?:(?<![ \t])[ \t]+)?(?P<sign>{sign})",
        re.IGNORECASE | re.MULTILINE,
    )


_MARKER, _OWN_MARKER = _markers(_SIGN), _markers(r"\[[1-9]\d{0,2}\]")
_APART = re.compile(
    rf"(?P<code>{CODE}|`[^`\n]+`)|(?<=[.!?…。\"'”’»)*_\]])[ \t]+(?={_SIGN})", re.MULTILINE
)
"""Matches the blanks between a sentence and the markers behind it, but for those in code."""
_LEAD = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")


def read_parts(draft: str) -> list[AnswerPart]:
    """The draft's sentences as parts. A sentence quotes itself from each document that its markers
    name.
    """
    text = _APART.sub(r"\g<code>", draft)
    parts: list[AnswerPart] = []
    end = 0
    for start, stop in _sentences(text):
        before, end, written = text[end:start], stop, text[start:stop]
        code = _FENCED.match(written)
        shown = written if code else _MARKER.sub(_shown, written).strip()
        numbers = [] if code else cited_numbers(written)
        if shown:
            parts.append({"before": before, "text": shown, "quotes": [], "located": []})
        if parts:  # markers on a line of their own are of what stands above
            quote = _LEAD.sub("", parts[-1]["text"])
            parts[-1]["quotes"] += [{"document": number, "quote": quote} for number in numbers]
    return parts


def without_markers(text: str) -> str:
    """The text without markers like [1]. A model that is asked for none means a [1, 2]."""
    return _OWN_MARKER.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    return f"{found['lead']} the documents" if found["lead"] else found["code"] or ""


def cited_numbers(written: str) -> list[int]:
    """The numbers of the documents that a plain reply's text cites, each once, in order."""
    markers = (found["sign"] or found["names"] or "" for found in _MARKER.finditer(written))
    return list(dict.fromkeys(map(int, re.findall(r"\d+", " ".join(markers)))))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end; fenced code counts as one."""
    at = 0
    for begin, end in [*(code.span() for code in _FENCED.finditer(text)), (len(text), len(text))]:
        yield from ((at + start, at + stop) for start, stop in sentence_spans(text[at:begin]))
        if begin < end:
            yield begin, end
        at = end
