"""Questions taken apart by rules: comparisons, lists, clauses; names followed."""

from __future__ import annotations

import re

from rag.index.terms import terms

_COMPARED = re.compile(
    r"\b(?:which|who|what|was|were|is|are|did|do|does)\b.*?,?\s+"
    r"(?P<one>[A-Z0-9][^,?]*?)\s*,?\s+or\s+(?P<other>[A-Z0-9][^,?]*)\??$"
)
_BOTH = re.compile(
    r"\b(?:both\s+)?(?P<one>[A-Z][\w'’.()-]*(?:\s+[A-Z0-9(][\w'’.()-]*)*)\s+and\s+"
    r"(?P<other>[A-Z][\w'’.()-]*(?:\s+[A-Z0-9(][\w'’.()-]*)*)"
)
_QUESTIONS = re.compile(r"(?<=\?)\s+|;\s+|\s+and\s+(?=(?:who|what|when|where|why|how|which)\b)")
_CLAUSE = re.compile(
    r",?\s+\b(?:who|whom|whose|which|that|where|when|in which|of which|for which|by which)\b\s+"
)
_COMPARISON = re.compile(
    r"\b(?:compare|compared|comparison|differ|difference|versus|vs|older|younger|earlier|later|"
    r"first|more|larger|smaller|longer|bigger|higher|same|both|than)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:timeline|history|chronolog\w+|over time|when|sequence of)\b", re.IGNORECASE
)
_LEAST_WORDS = 2


def split(question: str) -> list[str]:
    """Sub-questions that stand beside the whole one; empty for a simple question."""
    parts: dict[str, None] = {}
    for pattern in (_COMPARED, _BOTH):
        found = pattern.search(question)
        if found is not None:
            about = _without_names(question, found)
            for name in (found["one"], found["other"]):
                parts[f"{name.strip()} {about}".strip()] = None
            break
    pieces = [piece.strip(" ,;") for piece in _QUESTIONS.split(question)]
    if len(pieces) > 1:
        parts.update(dict.fromkeys(pieces))
    else:
        clauses = [clause.strip(" ,?") for clause in _CLAUSE.split(question.rstrip("?"))]
        parts.update(dict.fromkeys(clauses))
    whole = set(terms(question))
    return [
        part for part in parts if len(terms(part)) >= _LEAST_WORDS and set(terms(part)) != whole
    ][:4]


def follow(question: str, name: str) -> str | None:
    """The question turned to a name that it does not mention, or None if it does."""
    named, asked = set(terms(name)), terms(question)
    if not named or named <= set(asked):
        return None
    return f"{name}: {question}"


def asks_for_comparison(question: str) -> bool:
    return _COMPARISON.search(question) is not None or _COMPARED.search(question) is not None


def asks_for_time(question: str) -> bool:
    return _TIME.search(question) is not None


def _without_names(question: str, found: re.Match[str]) -> str:
    """What is asked of the two names: the question's other words."""
    rest = question[: found.start("one")] + question[found.end("other") :]
    words = re.sub(
        r"\b(?:which|who|what|both|and|or|the|are|were|is|was|did|do)\b",
        " ",
        rest,
        flags=re.IGNORECASE,
    )
    return " ".join(words.replace("?", " ").replace(",", " ").split())
