"""A grade's reason in words: what of the question a chunk covers, comes near to, lacks."""

from __future__ import annotations

from collections.abc import Iterable

from rag.engines.local.features import Shown
from rag.question.parse import ParsedQuestion

_NAMED = 4
_WORD_CHARACTERS = 30
_NEAR = 0.6


def reason_for(question: ParsedQuestion, shown: Shown, *, knows: bool) -> str:
    """Such as: covers 'evidence', 'electronic'; near 'law' ('legal'); nothing on 'criminal'.

    Unless the collection `knows` of the matter, that is why the chunk is not relevant.
    """
    if not question.terms:
        cosine = shown.features["cosine"]
        return f"the question has no word to look for; alike in meaning by {cosine:.2f}"
    ranked = sorted(question.specific, key=lambda term: -question.weights[term])
    covered = [term for term in ranked if shown.near[term][0] >= 1]
    near = [term for term in ranked if _NEAR <= shown.near[term][0] < 1]
    missing = [term for term in ranked if shown.near[term][0] < _NEAR]
    parts = []
    if covered:
        parts.append(f"covers {_listed(question.spelt[term] for term in covered)}")
    if near:
        parts.append(
            "near "
            + ", ".join(
                f"{_quoted(question.spelt[term])} ({_quoted(shown.near[term][1])})"
                for term in near[:_NAMED]
            )
        )
    if missing:
        parts.append(f"nothing on {_listed(question.spelt[term] for term in missing)}")
    if not knows:
        parts.append("too little here is about that")
    return "; ".join(parts)


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    more = len(every) - _NAMED
    return ", ".join(map(_quoted, every[:_NAMED])) + (f" and {more} more" if more > 0 else "")


def _quoted(word: str) -> str:
    """A document's words are hostile: nothing that a terminal could obey, and not long."""
    clean = "".join(character for character in word if character.isprintable())
    short = clean if len(clean) <= _WORD_CHARACTERS else clean[: _WORD_CHARACTERS - 1] + "…"
    return f"'{short}'"
