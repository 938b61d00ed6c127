"""What the documents say of a name where no sentence answers a question about it.

"What is known of X?" is too wide for a graph that looks for one answer: sentences that speak of
X are quoted as they stand, those of X's own section first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.text.sentences import sentence_spans
from state.answer import Citation
from state.passages import RetrievedChunk

MOST_SENTENCES = 3
_SEARCHED = 12
_LEAST_WORDS, _MOST_CHARACTERS = 5, 420
_LEAD = re.compile(r"^(?:>\s*)*(?:[-*+•]|\d{1,3}[.)])\s+")
_NO_PROSE = re.compile(r"[|{}]|^\s*(?:#|```)|[=;]\s*$")
_IS = re.compile(r"^\W*(?:\w+\W+){0,4}?(?:is|are|was|were|means|lets|allows)\b", re.IGNORECASE)


def mentions(name: str, reader: CollectionReader, among: str = "") -> tuple[str, list[Citation]]:
    """At most three sentences with markers, and their citations; nothing if none speaks of it.
    Those are preferred whose title or heading has the name, or all the words of `among`.
    """
    wanted = set(terms(name))
    found: list[tuple[int, Citation]] = []
    above = set(terms(among)) or wanted
    for chunk in reader.search(f"{among} {name}".strip(), _SEARCHED) if wanted else ():
        headed = above <= set(terms(f"{chunk['title'] or ''} {chunk['heading']}"))
        for citation in _sentences(chunk):
            told = terms(citation["quote"])
            if wanted <= set(told):
                starts = wanted <= set(told[: len(wanted) + 2])
                defines = bool(_IS.match(citation["quote"]))
                found.append((2 * headed + starts + defines * starts, citation))
    best = sorted(found, key=lambda pair: -pair[0])[:MOST_SENTENCES]
    citations: list[Citation] = [
        {**citation, "marker": number} for number, (_, citation) in enumerate(best, 1)
    ]
    return " ".join(map(_cited, citations)), citations


def _sentences(chunk: RetrievedChunk) -> Iterator[Citation]:
    text = chunk["text"]
    for start, end in sentence_spans(text):
        quote = text[start:end]
        if len(quote) > _MOST_CHARACTERS or len(quote.split()) < _LEAST_WORDS:
            continue
        if _NO_PROSE.search(quote):
            continue
        yield {
            "marker": 0,
            "source": chunk["source"],
            "title": chunk["title"],
            "page": chunk["page"],
            "start_line": chunk["start_line"] + text.count("\n", 0, start),
            "end_line": chunk["start_line"] + text.count("\n", 0, end),
            "start_char": chunk["start_char"] + start,
            "end_char": chunk["start_char"] + end,
            "chunk_id": chunk["chunk_id"],
            "quote": quote,
            "passage": quote,
            "support": "verbatim",
        }


def _cited(citation: Citation) -> str:
    text = _LEAD.sub("", " ".join(citation["quote"].split()))
    stop = text[-1] if text[-1] in ".!?" else "."
    return f"{text.rstrip('.!?')} [{citation['marker']}]{stop}"
