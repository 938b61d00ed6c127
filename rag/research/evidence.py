"""What a searcher is given to read: what its queries find, whole documents where they are short,
in page order; and where the quotes it copies from there stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rag.index.protocol import CollectionReader
from state.answer import Citation
from state.passages import RetrievedChunk
from state.tokens import count_tokens
from state.written_place import anchored

SEARCHED = 20
"""Chunks that each query brings."""
SHORT, SHORT_NAMED = 6_000, 12_000
"""Characters of a document that is given whole, and of one that was asked for by name."""
AROUND = 700
"""Characters before and behind what was found that are given with it."""
MOST_PASSAGE = 2_000
_ELLIPSIS = re.compile(r"\s*(?:\[(?:…|\.{3})\]|…|\.{3,})\s*")
_MARKS = frozenset("*_`#>|\\")
_SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\xa0": " "})
_FEWEST = 8
"""Characters of a quote that says where it stands."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """`[start, end)` of a document's text, with the best chunk that was found in it."""

    chunk: RetrievedChunk
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Given:
    """Stretches of one document in page order, under the number that a quote names it by."""

    number: int
    source: str
    title: str | None
    stretches: tuple[Stretch, ...]

    @property
    def text(self) -> str:
        return "\n\n[…]\n\n".join(
            f"§ {s.chunk['heading']}\n{s.text}" if s.chunk["heading"] else s.text
            for s in self.stretches
        )


class Evidence:
    """What one searcher has been given; nothing twice."""

    def __init__(self, reader: CollectionReader) -> None:
        self._reader = reader
        self._given: list[Given] = []
        self._covered: dict[str, list[tuple[int, int]]] = {}

    def find(self, queries: Sequence[str], documents: Sequence[str], tokens: int) -> list[Given]:
        """What the queries find and was not given before, the best first until `tokens` are full;
        what stands in `documents` first of all.
        """
        rankings = [self._reader.search(query, SEARCHED) for query in queries]
        ranked = [chunk for row in zip_longest(*rankings) for chunk in row if chunk is not None]
        named = [self._reader.document_chunks(source, 1) for source in documents]
        ranked = [chunk for first in named for chunk in first] + ranked
        ranked.sort(key=lambda chunk: chunk["source"] not in documents)
        stretches: dict[str, list[Stretch]] = {}
        for chunk in ranked:
            start, end = self._extent(chunk, SHORT_NAMED if chunk["source"] in documents else SHORT)
            known = self._covered.setdefault(chunk["source"], [])
            if any(a <= chunk["start_char"] and chunk["end_char"] <= b for a, b in known):
                continue
            for a, b in known:  # what was given before is not given again
                start = b if a <= start < b else start
                end = a if a < end <= b else end
            text = self._reader.document_text(chunk["source"], start, end) or ""
            cost = count_tokens(text)
            if not text.strip() or (cost > tokens and stretches):
                continue
            tokens -= cost
            known.append((start, end))
            stretches.setdefault(chunk["source"], []).append(Stretch(chunk, start, end, text))
            if tokens <= 0:
                break
        new = [
            Given(
                number,
                source,
                held[0].chunk["title"],
                tuple(sorted(held, key=lambda stretch: stretch.start)),
            )
            for number, (source, held) in enumerate(stretches.items(), len(self._given) + 1)
        ]
        self._given += new
        return new

    def locate(self, number: int, quote: str) -> Citation | None:
        """Where the quote stands in the document that it names, but for white space, markup and
        typography; None where it does not. Of one with ellipses each piece must stand there.
        """
        given = next((given for given in self._given if given.number == number), None)
        pieces = [piece for piece in map(_plain, _ELLIPSIS.split(quote)) if piece]
        if given is None or sum(map(len, pieces)) < _FEWEST:
            return None
        for stretch in given.stretches:
            said, places = _read(stretch.text)
            found = [said.find(piece) for piece in pieces]
            if min(found) >= 0:
                first, last = places[found[0]], places[found[0] + len(pieces[0]) - 1]
                return _citation(stretch, first, last + 1)
        return None

    def _extent(self, chunk: RetrievedChunk, short: int) -> tuple[int, int]:
        """The whole of a short document, else the chunk with what stands around it; where there
        are pages or other places, the chunk alone, so that its place is right.
        """
        if chunk["page"] is not None or chunk.get("anchor") is not None:
            return chunk["start_char"], chunk["end_char"]
        document = self._reader.document(chunk["source"])
        if document is not None and 0 < document.characters <= short:
            return 0, document.characters
        return max(chunk["start_char"] - AROUND, 0), chunk["end_char"] + AROUND


def _citation(stretch: Stretch, first: int, last: int) -> Citation:
    chunk, text = stretch.chunk, stretch.text
    begin = text.rfind("\n\n", 0, first) + 2 if "\n\n" in text[:first] else 0
    finish = text.find("\n\n", last)
    passage = text[begin : finish if finish >= 0 else len(text)]
    line, until = (_line(stretch, at) for at in (first, last))
    at = anchored(chunk.get("anchor"), line, until)
    citation: Citation = {
        "marker": 0,
        "source": chunk["source"],
        "title": chunk["title"],
        "page": chunk["page"],
        "anchor": at["anchor"],
        "start_line": at["start_line"],
        "end_line": at["end_line"],
        "start_char": stretch.start + first,
        "end_char": stretch.start + last,
        "chunk_id": chunk["chunk_id"],
        "quote": text[first:last],
        "passage": passage.strip() if len(passage) <= MOST_PASSAGE else text[first:last],
        "support": "supported",
    }
    return citation


def _line(stretch: Stretch, at: int) -> int:
    """The line of a place, counted from that of the chunk."""
    known = stretch.chunk["start_char"] - stretch.start
    between = stretch.text.count("\n", min(at, known), max(at, known))
    return max(stretch.chunk["start_line"] + (between if at >= known else -between), 1)


def _plain(text: str) -> str:
    return _read(text.strip().strip('"“”'))[0].strip()


def _read(text: str) -> tuple[str, list[int]]:
    """The text in lower case without markup and doubled white space, and where each of its
    characters stands.
    """
    said: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text.translate(_SAME)):
        if sign in _MARKS:
            continue
        kept = " " if sign.isspace() else sign.lower()
        if kept == " " and said and said[-1] == " ":
            continue
        said += kept
        places += [place] * len(kept)
    return "".join(said), places
