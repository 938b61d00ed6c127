"""Locates a quote in a document: word for word but for markup, white space and typography, or
nearly so, and then at the document's own wording.

Quotes and documents are both written by others: every search here is bounded by their lengths.
"""

# ruff: noqa: RUF001
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from rag.text.prose import CLOSES_TAG, OPENS_TAG
from state.passages import ContextDocument, RetrievedChunk, text_between

NEAR = 0.9
MOST_WORDS = 250
"""The most words of a quote that need not stand word for word."""
_LONGEST = 4_000
"""The most characters of a quote that are looked at."""
_APART = 12
"""Excerpts at most so many characters apart, marks and white space, are read as one text."""
_ELLIPSIS = re.compile(r"\s*(?:\[(?:…|\.{3})\]|…|\.{3,})\s*")
_PATH = re.compile(r"\A\s*\([^\n]{1,500}\)[ \t]*\n(?=[^\n]*\w)")
_MARKERS = re.compile(r"(?:\s|(?<=[.!?,;:]))(?:\[\d{1,3}\] ?)+(?=[.!?,;:\s]*\Z)")
"""Matches a quote's own markers at its end, as an answer has them; no index of code: `lock[1]`."""
_DENIALS = frozenset(("no", "not", "never", "none", "without", "cannot", "nor", "t"))
_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SAYS_SOMETHING = re.compile(rf"\w[^\w.…]+\w|[^\W_]{{4}}|\d|[{_CJK}]{{2}}")
"""Matches two words, one of more than three letters, or a number."""

_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufeff"
_LETTER = rf"(?:(?![{_CJK}])[^\W_][\u0300-\u036f]*)"
_PIECE = re.compile(
    # What is markup only: comments, tags, shortcodes but for their words, where links lead, marks
    # before a line.
    rf"{OPENS_TAG}|{CLOSES_TAG}"
    r"|<!--(?:(?!-->).){0,2000}-->|</?[A-Za-z][^<>\n]{0,300}>|\{\{[<%].{0,300}?[%>]\}\}"
    r"|\{%.{0,300}?%\}|^[ \t]*>[> \t]*|(?<!\S)//+(?!\S)|!(?=\[)"
    r"|\]\((?:[^()\s]|\([^()\s]{0,100}\)){0,500}(?:\s+\"[^\"\n]{0,200}\")?\)"
    rf"|(?P<word>[{_CJK}]|{_LETTER}+(?:[{_INVISIBLE}]+{_LETTER}+)*"
    # Signs that change what is said; a minus only where it is one.
    r"|[<>=%+/\\≤≥≠±]|(?<![^\s(])[-−](?=\d))",
    re.MULTILINE | re.DOTALL,
)
_UNSEEN = re.compile(f"[{_INVISIBLE}]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, compared by `key`; `[start, end)` are characters of the document."""

    key: str
    start: int
    end: int


_BREAK = Word("\n", 0, 0)


@dataclass(frozen=True, slots=True)
class QuoteSpan:
    """Where a quote stands: `[start, end)` of the document, in one excerpt."""

    excerpt: RetrievedChunk
    start: int
    end: int


def locate(quote: str, document: ContextDocument, behind: int = 0) -> list[QuoteSpan]:
    """Where the quote stands, or each piece of it between ellipses; empty if one stands nowhere.
    What stands in several places is found at the first one from the offset `behind` on. A line of
    headings before it, as a context has above an excerpt, is no part of it, nor is a marker ([1])
    behind it.
    """
    whole = quote[:_LONGEST]
    if not _SAYS_SOMETHING.search(whole):
        return []
    if exact := _letter_for_letter(whole.strip(), document, behind):
        return [exact]
    whole = _MARKERS.sub("", _PATH.sub("", whole))
    text = [*_words(document["excerpts"])]
    found: list[QuoteSpan] = []
    for piece in _ELLIPSIS.split(whole):
        if words := [*match_words(piece)]:
            place = _find([word.key for word in words], text, behind)
            if place is None:
                return []
            found += _spans(text[place[0] : place[1] + 1], document, _signs(piece, words))
            behind = found[-1].end
    return found


def _letter_for_letter(said: str, document: ContextDocument, behind: int) -> QuoteSpan | None:
    """Where a quote stands with all its signs, such as the name of an option or a tag: at the first
    place from `behind` on, or else at the first.
    """
    whole_words = re.compile(rf"(?:\b|(?=\W)){re.escape(said)}(?:\b|(?<=\W))")
    found = [
        QuoteSpan(each, each["start_char"] + place.start(), each["start_char"] + place.end())
        for each in document["excerpts"]
        for place in whole_words.finditer(each["text"])
    ]
    return next((place for place in found if place.start >= behind), next(iter(found), None))


def _signs(piece: str, words: Sequence[Word]) -> tuple[str, str]:
    """The signs before the first word of a piece and behind its last one."""
    return piece[: words[0].start].lstrip(), piece[words[-1].end :].rstrip()


def match_words(text: str, base: int = 0) -> Iterator[Word]:
    """The words of a text that begins at the offset `base` of its document."""
    for found in _PIECE.finditer(text):
        if (word := found["word"]) is not None:
            said = unicodedata.normalize("NFKC", _UNSEEN.sub("", word)).casefold()
            yield Word(
                "".join(said.replace("−", "-").split()), base + found.start(), base + found.end()
            )


def _words(excerpts: Sequence[RetrievedChunk]) -> Iterator[Word]:
    end = None
    for excerpt in excerpts:
        if end is not None and not 0 <= excerpt["start_char"] - end <= _APART:
            yield _BREAK
        yield from match_words(excerpt["text"], excerpt["start_char"])
        end = excerpt["end_char"]


def _spans(
    words: Sequence[Word], document: ContextDocument, signs: tuple[str, str]
) -> Iterator[QuoteSpan]:
    """The words in each excerpt that has some of them, with the signs that the quote too has before
    and behind: of code, an option, a full stop.
    """
    for excerpt in document["excerpts"]:
        base = excerpt["start_char"]
        held = [word for word in words if base <= word.start < excerpt["end_char"]]
        if not held:
            continue
        start, end = held[0].start, held[-1].end
        before = signs[0] if held[0] is words[0] else ""
        behind = signs[1] if held[-1] is words[-1] else ""
        while before and excerpt["text"].endswith(before[-1], 0, start - base):
            before, start = before[:-1], start - 1
        while behind and excerpt["text"].startswith(behind[0], end - base):
            behind, end = behind[1:], end + 1
        shown = text_between(excerpt, start, end)
        start += len(shown) - len(shown.lstrip())
        yield QuoteSpan(excerpt, start, start + len(shown.strip()))


def _find(piece: Sequence[str], text: Sequence[Word], behind: int) -> tuple[int, int] | None:
    """The indices of the first and the last word of the text that the piece quotes."""
    exact = _exactly(piece, text, behind)
    if exact is not None or len(piece) > MOST_WORDS:
        return exact
    return _nearly(piece, text)


def _exactly(piece: Sequence[str], text: Sequence[Word], behind: int = 0) -> tuple[int, int] | None:
    joined, said = "".join(f" {word.key}" for word in text) + " ", f" {' '.join(piece)} "
    passed = sum(len(word.key) + 1 for word in takewhile(lambda word: word.start < behind, text))
    at = joined.find(said, passed)
    if at < 0 and (at := joined.find(said)) < 0:
        return None
    first = joined.count(" ", 0, at)
    return first, first + len(piece) - 1


def _nearly(piece: Sequence[str], text: Sequence[Word]) -> tuple[int, int] | None:
    """Looks around the longest stretch that both have; in a long text not of its commonest words
    alone, which stand anywhere.
    """
    keys = [word.key for word in text]
    same = SequenceMatcher(None, piece, keys).find_longest_match()
    room = max(1, round(len(piece) * (1 - NEAR)))
    low = max(same.b - same.a - room, 0)
    near = keys[low : same.b - same.a + len(piece) + room]
    held = SequenceMatcher(None, piece, near, autojunk=False).get_matching_blocks()[:-1]
    if not held:
        return None
    start, end = held[0].b, held[-1].b + held[-1].size
    if not _is_near(piece, near[start:end]):
        return None
    return low + start, low + end - 1


def _is_near(piece: Sequence[str], other: Sequence[str]) -> bool:
    """Whether most words are the same, and no number, denial or sign is among the others."""
    compared = SequenceMatcher(None, piece, other, autojunk=False)
    changed = (
        word
        for what, a, b, c, d in compared.get_opcodes()
        if what != "equal"
        for word in (*piece[a:b], *other[c:d])
    )
    alike = compared.ratio() >= NEAR
    return alike and all(word.isalpha() and word not in _DENIALS for word in changed)
