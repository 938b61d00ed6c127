"""Whether a question says too little to be looked up, and what could be meant by it.

A pronoun with nothing before it to mean, or a part of a question that was never asked ("and in
winter?", "why?"). "It" means the subject of documents that have one ("is it free?" of a program's
manual), or nothing ("is it possible to ..."). What could be meant are the documents, or the
sections of the only one, that the words lead to about equally; or a name that several documents
have for different things (`namesakes.py`). tests/benchmarks/underspecified.py shows what the
numbers earn. A whole sentence of common words ("who was the enemy?") is not asked back: "what is
ownership?" is one too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from rag.index.terms import terms
from rag.question.aside import is_aside
from rag.question.context import parted
from rag.question.followup import PRONOUN, Searchable, is_part, nothing_before, saying, weights_of
from rag.question.namesakes import ABOUT_EQUAL, MUCH, namesakes
from rag.question.parse import FEW_CHUNKS, SPECIFIC
from rag.question.parts import POOL, asks
from rag.question.specificity import specificities
from state.passages import RetrievedChunk

LOOKED_AT = 10
MOST_CHOICES = 4

SUBJECT = 0.45
"""Of a collection's chunks, how many have the word that names its subject: .49 to .94 of those of
six manuals, .44 of a game's, at most .4 in encyclopedias and papers."""

_NEXT_WORD = re.compile(r"\s+(\w+)")
_EMPTY_IT = re.compile(
    r"\bit\b(?:\s+\w+){1,2}\s+(?:to|if|that|whether|when|where|which)\b", re.IGNORECASE
)


def choices(question: str, collection: Searchable) -> list[str]:
    """What could be meant, the likeliest first; empty where the question says enough, or leads to
    one thing alone.
    """
    if parted(question)[1]:
        return []
    weights = weights_of(sorted(set(terms(question))), collection)
    if not says_too_little(question, weights):
        return namesakes(question, weights, collection)[:MOST_CHOICES]
    found = collection.search(question, POOL)[:LOOKED_AT]
    pronoun = _first(question)
    if pronoun and pronoun.group().lower() in ("it", "its") and has_subject(found, collection):
        return []
    near = [each for each in found if each["score"] >= ABOUT_EQUAL * found[0]["score"]]
    sources = list(dict.fromkeys(each["source"] for each in near))
    named = [_section(each) for each in near] if len(sources) == 1 else _documents(near)
    shown = [name for name in dict.fromkeys(named) if name][:MOST_CHOICES]
    return shown if len(shown) > 1 else []


def asks_anew(reply: str, meant: Sequence[str], collection: Searchable) -> bool:
    """Whether what is said instead of one of the choices `meant` is an utterance of its own."""
    said = _name(reply)
    if said.isdecimal() or said in map(_name, meant):
        return False
    if is_aside(reply):
        return True
    if not asks(reply):
        return False
    return not says_too_little(reply, weights_of(sorted(set(terms(reply))), collection))


def _name(text: str) -> str:
    return text.strip(" ?!.").casefold()


def says_too_little(question: str, weights: Mapping[str, float]) -> bool:
    """`weights` of its terms, 0 of what no chunk has."""
    if is_part(question) or not weights:
        return bool(question.strip(" ?!."))
    known = saying(question, weights)
    return sum(known.values()) <= MUCH and _leans(question, known)


def has_subject(found: Sequence[RetrievedChunk], collection: Searchable) -> bool:
    """Whether so many chunks have a word that names something, as half of those `found` do. What is
    kept under numbers (proposals, minutes) are many things, whatever they are all about.
    """
    numbered = [chunk for chunk in found if PurePath(chunk["source"]).name[:1].isdigit()]
    if collection.chunk_count < FEW_CHUNKS or 2 * len(numbered) >= len(found):
        return False
    held = Counter(term for chunk in found for term in set(terms(chunk["text"])))
    common = [term for term, count in held.items() if 2 * count >= len(found)]
    telling = [t for t, says in zip(common, specificities(common), strict=True) if says >= SPECIFIC]
    counts = collection.document_frequencies(telling)
    return max(counts.values(), default=0) >= SUBJECT * collection.chunk_count


def _leans(question: str, weights: Mapping[str, float]) -> bool:
    """Whether its first pronoun has nothing before it to mean."""
    pronoun = _first(question)
    return pronoun is not None and nothing_before(pronoun, weights)


def _first(question: str) -> re.Match[str] | None:
    """The first pronoun that stands for something."""
    for pronoun in PRONOUN.finditer(question):
        following = _NEXT_WORD.match(question, pronoun.end())
        one_way = pronoun.group().lower() == "one" and following and terms(following.group(1))
        if not one_way and not _EMPTY_IT.match(question, pronoun.start()):
            return pronoun
    return None


def _documents(chunks: Sequence[RetrievedChunk]) -> list[str]:
    """By title, or by the file's name where it has none, or one that another has too."""
    titles = {chunk["source"]: chunk["title"] for chunk in chunks}
    shared = Counter(titles.values())
    return [
        title if title and shared[title] == 1 else PurePath(source).stem
        for source, title in titles.items()
    ]


def _section(chunk: RetrievedChunk) -> str:
    return chunk["heading"].rpartition(" > ")[2]
