"""A grade's reason in words: what of the question a chunk covers and what it lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rag.question.parse import ParsedQuestion

_NAMED = 4
_WORD_CHARACTERS = 30


def reason_for(question: ParsedQuestion, held: Collection[str], *, knows: bool) -> str:
    """Such as: covers 'evidence', 'electronic'; nothing on 'criminal'.

    Unless the collection `knows` of the matter, that is why the chunk is not relevant.
    """
    if not question.terms:
        return "the question has no word to look for"
    ranked = sorted(question.specific, key=lambda term: -question.weights[term])
    parts = []
    if covered := [question.spelt[term] for term in ranked if term in held]:
        parts.append(f"covers {_listed(covered)}")
    if missing := [question.spelt[term] for term in ranked if term not in held]:
        parts.append(f"nothing on {_listed(missing)}")
    if not knows:
        parts.append("too little here is about that")
    return "; ".join(parts)


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    more = len(every) - _NAMED
    return ", ".join(map(_quoted, every[:_NAMED])) + (f" and {more} more" if more > 0 else "")


def _quoted(word: str) -> str:
    """What was typed is hostile too: nothing that a terminal could obey, and not long."""
    clean = "".join(character for character in word if character.isprintable())
    short = clean if len(clean) <= _WORD_CHARACTERS else clean[: _WORD_CHARACTERS - 1] + "…"
    return f"'{short}'"
