"""Text to sentences with exact offsets, in any language, in time linear in the text.

Blocks come first (a heading, a table's row, code are units of their own, wrapped lines are
joined), punctuation second.
"""

# ruff: noqa: RUF001
from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rag.text.wrapping import lines_of, runs, stripped
from state.blocks import PROSE, Block

Spans = list[tuple[int, int]]

# A sentence longer than this is cut at its best inner boundary, so that a text without
# punctuation (or a hostile one) still comes in pieces that can be scored and quoted.
MAX_SENTENCE = 1200

_WIDE = "。！？｡．！？"
_END = re.compile(
    # Closing marks and wiki-style note numbers belong to the sentence that they follow.
    r"[.!?…。！？｡．؟۔।॥։።]+[\"'”’»›)\]}」』）】》*_]*(?:\[[^\[\]\n]{1,24}\])*"
)
_CONTINUES = "とっのはをがにで、，,;:)"
_WORD_BEFORE = re.compile(r"[^\s\"'“‘«(\[{]+$")
_NEXT_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?$|[^\W\d_]$")
_ITEM_NUMBER = re.compile(r"[\s(]*(?:[0-9]{1,4}(?:\.[0-9]{1,4})*|[A-Za-z]|[ivxIVX]{1,5})$")
_INNER = re.compile(r"[;；,，、:：]\s*|\s+")

# "before_a_name" never ends a sentence, "before_a_number" does not before a number; "either"
# is decided by the word that follows: does it open sentences?
_WORDS: dict[str, frozenset[str]] = {
    kind: frozenset(words)
    for kind, words in json.loads(
        Path(__file__).with_name("sentence_words.json").read_text(encoding="utf-8")
    ).items()
}


def sentence_spans(text: str) -> Spans:
    """Half-open `(start, end)` in order, never overlapping, of a text that was never read to
    blocks, such as a draft. Marks that set its blocks apart (a heading's `#`, a fence, a line
    across) are in none.
    """
    from rag.text.blocks import blocks_of_text

    return [span for block in blocks_of_text(text) for span in block_sentences(text, block)]


def block_sentences(text: str, block: Block, base: int = 0) -> Spans:
    """The sentences of one block, absolute like its offsets; `text` begins at `base`.

    Prose and items are parted by punctuation, and where lines were broken on purpose; a
    heading, code, a row, a field is one. None is longer than MAX_SENTENCE.
    """
    start, end = block.start_char - base, block.end_char - base
    pieces: Iterable[tuple[int, int]] = [(start, end)]
    if block.kind in PROSE:
        parts = runs(lines_of(text, start, end)) if "\n" in text[start:end] else pieces
        pieces = (piece for part in parts for piece in _prose(text, *part))
    return [
        (first + base, last + base) for piece in pieces for first, last in _bounded(text, *piece)
    ]


def _prose(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and not _is_boundary(text, begin, match, end):
            continue
        yield begin, match.end()
        begin = match.end()
    if begin < end:
        yield begin, end


def _is_boundary(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    mark = match.group()
    following = text[match.end()]
    if mark[0] in _WIDE:
        return following not in _CONTINUES
    after = text[match.end() : min(end, match.end() + 60)].lstrip()
    if not following.isspace() or after[:1].islower() or after[:1] in _CONTINUES:
        return False
    if mark[0] != "." or mark[:2] == "..":
        return True
    before = text[max(begin, match.start() - 40) : match.start()]
    if match.start() - begin <= 40 and _ITEM_NUMBER.fullmatch(before):
        return False
    return _full_stop(before, after)


def _full_stop(before: str, after: str) -> bool:
    """Whether a "." that is followed by a space and no small letter ends its sentence."""
    token = _WORD_BEFORE.search(before)
    spelt = token.group() if token else ""
    word = spelt.lower()
    following = _NEXT_WORD.match(after.lstrip("\"'“‘«([*_"))
    next_word = following.group() if following else ""
    if word in _WORDS["before_a_number"] and next_word[:1].isdigit():
        return False
    if word in _WORDS["before_a_name"]:
        return False
    if word.isdigit() and len(word) <= 2 and next_word.lower() in _WORDS["months"]:
        return False
    # A small letter alone is a unit ("391 m."), a capital one a name's.
    if word in _WORDS["either"] or (_INITIALS.fullmatch(spelt) and not spelt.islower()):
        return not next_word.islower() and next_word.lower() in _WORDS["starters"]
    return True


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without its outer whitespace, cut where it is too long."""
    start, end = stripped(text, start, end)
    while end - start > MAX_SENTENCE:
        cut = start + MAX_SENTENCE
        for inner in _INNER.finditer(text, start + MAX_SENTENCE // 2, cut):
            cut = inner.end()
        yield stripped(text, start, cut)
        start, _ = stripped(text, cut, end)
    if start < end:
        yield start, end
