"""A grade's reason in words: what of the question a chunk covers, comes near to, lacks."""

from __future__ import annotations

from collections.abc import Iterable

from rag.engines.local.asked import Asked
from rag.engines.local.features import Shown

_NAMED = 4
_WORD_CHARACTERS = 30
_NEAR = 0.6


def reason_for(asked: Asked, shown: Shown) -> str:
    """Such as: covers 'evidence', 'electronic'; near 'law' ('legal'); nothing on 'criminal'."""
    if not asked.terms:
        cosine = shown.features["cosine"]
        return f"the question has no word to look for; alike in meaning by {cosine:.2f}"
    ranked = sorted(asked.matter, key=lambda term: -asked.weights[term])
    covered = [term for term in ranked if shown.near[term][0] >= 1]
    near = [term for term in ranked if _NEAR <= shown.near[term][0] < 1]
    missing = [term for term in ranked if shown.near[term][0] < _NEAR]
    parts = []
    if covered:
        parts.append(f"covers {_listed(asked.spelt[term] for term in covered)}")
    if near:
        parts.append(
            "near "
            + ", ".join(
                f"{_quoted(asked.spelt[term])} ({_quoted(shown.near[term][1])})"
                for term in near[:_NAMED]
            )
        )
    if missing:
        parts.append(f"nothing on {_listed(asked.spelt[term] for term in missing)}")
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
