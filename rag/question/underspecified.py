"""Whether a question says too little to be looked up, and what could be meant by it.

A pronoun with nothing before it to mean, or a part of a question that was never asked ("and in
winter?", "why?"). "It" means the subject of documents that have one ("is it free?" of a program's
manual), or nothing ("is it possible to ..."). What could be meant are the documents, or the
sections of the only one, that the words lead to about equally; or a name that several documents
have for different things (`namesakes.py`). A whole sentence of common
words ("who was the enemy?") is not asked back: "what is ownership?" is one too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.question.aside import is_aside
from rag.question.context import parted
from rag.question.followup import PRONOUN, is_part, nothing_before, saying, weights_of
from rag.question.namesakes import ABOUT_EQUAL, MUCH, namesakes
from rag.question.parse import FEW_CHUNKS
from rag.question.parts import POOL, asks
from state.passages import RetrievedChunk

LOOKED_AT = 10
MOST_CHOICES = 4

SUBJECT = 0.45
"""Of a collection's chunks, how many have the word that names its subject: .49 to .94 of those of
six manuals, .44 of a game's, at most .4 in encyclopedias and papers."""


def choices(question: str, collection: CollectionReader) -> list[str]:
    """What could be meant, the likeliest first; empty where the question says enough, or leads to
    one thing alone.
    """
    if parted(question)[1]:
        return []
    weights = weights_of(sorted(set(terms(question))), collection)
    if not says_too_little(question, weights):
        return namesakes(question, weights, collection)[:MOST_CHOICES]
    found = collection.search(question, POOL)[:LOOKED_AT]
    pronoun = PRONOUN.search(question)
    if pronoun and pronoun.group().lower() in ("it", "its") and has_subject(found, collection):
        return []
    near = [each for each in found if each["score"] >= ABOUT_EQUAL * found[0]["score"]]
    shown = list(dict.fromkeys(_documents(near)))[:MOST_CHOICES]
    return shown if len(shown) > 1 else []


def asks_anew(reply: str, meant: Sequence[str], collection: CollectionReader) -> bool:
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
    pronoun = PRONOUN.search(question)
    return sum(known.values()) <= MUCH and pronoun is not None and nothing_before(pronoun, known)


def has_subject(found: Sequence[RetrievedChunk], collection: CollectionReader) -> bool:
    """Whether so many chunks have a word that half of those `found` have. What is
    kept under numbers (proposals, minutes) are many things, whatever they are all about.
    """
    numbered = [chunk for chunk in found if PurePath(chunk["source"]).name[:1].isdigit()]
    if collection.chunk_count < FEW_CHUNKS or 2 * len(numbered) >= len(found):
        return False
    held = Counter(term for chunk in found for term in set(terms(chunk["text"])))
    common = [term for term, count in held.items() if 2 * count >= len(found)]
    counts = collection.document_frequencies(common)
    return max(counts.values(), default=0) >= SUBJECT * collection.chunk_count


def _documents(chunks: Sequence[RetrievedChunk]) -> list[str]:
    """By title, or by the file's name where it has none, or one that another has too."""
    titles = {chunk["source"]: chunk["title"] for chunk in chunks}
    shared = Counter(titles.values())
    return [
        title if title and shared[title] == 1 else PurePath(source).stem
        for source, title in titles.items()
    ]
