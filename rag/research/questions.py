"""Questions taken apart by rules: comparisons, lists, clauses; names followed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.index.terms import term_spans, terms

_HELPERS = (
    "Are|Is|Was|Were|Did|Do|Does|Has|Have|Had|Can|Could|Both|Between|What|Which|Who|When|Where|"
    "How|Why|In|Of|To|The|And|Or|Compare"
)
_WORD = r"[A-Z0-9(][\w'’.()-]*"
# A capitalised word and those that belong to it: "Song of the South".
_NAME = (
    rf"(?!(?:{_HELPERS})\b){_WORD}"
    rf"(?: (?:(?:of|the|from|for|de|du|von|van|da|di|la|le|v\.|vs\.|&) )*{_WORD})*"
)
_THE = r"(?:[Tt]he |an? )?"
_OR = re.compile(rf"(?P<one>{_NAME}),? or {_THE}(?P<other>{_NAME}(?:, {_NAME})?)")
_AND = re.compile(rf"(?P<one>{_NAME}),? and {_THE}(?P<other>{_NAME})")
_QUESTIONS = re.compile(r"(?<=\?)\s+|;\s+|\s+and\s+(?=(?:who|what|when|where|why|how|which)\b)")
_CLAUSE = re.compile(
    r",?\s+\b(?:who|whom|whose|which|that|where|when|in which|of which|for which|by which)\b\s+"
)
_COMPARISON = re.compile(
    r"\b(?:compare|compared|comparison|differ|difference|versus|vs|older|younger|earlier|later|"
    r"first|more|larger|smaller|longer|bigger|higher|same|both|than|common)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:timeline|history|chronolog\w+|over time|when|sequence of)\b", re.IGNORECASE
)
_LOOSE_END = re.compile(r",?\s+(?:and|or|in|of|for|by)$")
# A part that says "he" is about someone whom only the whole question names.
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|them|his|its|their)\b", re.IGNORECASE)
_LEAST_WORDS = 2
_MOST_PARTS = 6
_LONGEST = 2_000


def split(question: str) -> list[str]:
    """Sub-questions that stand beside the whole one; empty for a simple question."""
    question = " ".join(question[:_LONGEST].split())
    parts = [*_compared(question)]
    if not parts:
        pieces = [piece.strip(" ,;") for piece in _QUESTIONS.split(question)]
        if len(pieces) > 1:
            parts += pieces
        else:
            parts += [clause.strip(" ,?") for clause in _CLAUSE.split(question.rstrip("?"))]
    parts = [_LOOSE_END.sub("", part) for part in parts]
    whole = set(terms(question))
    return [
        part
        for part in dict.fromkeys(parts)
        if len(terms(part)) >= _LEAST_WORDS
        and set(terms(part)) != whole
        and not _PRONOUN.search(part)
    ][:_MOST_PARTS]


def compared(question: str) -> re.Match[str] | None:
    """The two things that a question compares, as groups `one` and `other`."""
    question = question[:_LONGEST]
    found = _OR.search(question)
    if found is None and asks_for_comparison(question):
        found = _AND.search(question)
    return found


def _compared(question: str) -> Iterator[str]:
    """What each of two things is, and what is asked of them, for each by itself."""
    found = compared(question)
    if found is None:
        return
    asked = _without_names(question, found)
    for name in (found["one"].strip(" ,"), found["other"].strip(" ,?")):
        yield about(name)
        if asked:
            yield f"{name}: {asked}"


def about(name: str) -> str:
    return f"What is known of {name}?"


def follow(question: str, name: str, quote: str) -> str | None:
    """The question asked of a name that was met: what the quote already says of it gives way
    to the name. None if the question has the name, or nothing is left of it.

    "In which town was the engineer who designed the bridge born?" and "The bridge was
    designed by Anna Berg." make "In which town was Anna Berg born?"
    """
    named, said = set(terms(name)), set(terms(quote))
    asked = list(term_spans(question[:_LONGEST]))
    if not named or named <= {term for _, _, found in asked for term in found}:
        return None
    runs: list[list[tuple[int, int]]] = [[]]
    for start, end, found in asked:
        if said.issuperset(found):
            runs[-1].append((start, end))
        elif runs[-1]:
            runs.append([])
    longest = max(runs, key=len)
    if len(longest) == len(asked):
        return None
    if len(longest) < 2:
        return f"{name}: {question}"
    before = _ARTICLE.sub("", question[: longest[0][0]])
    return f"{before}{name}{question[longest[-1][1] :]}"


_ARTICLE = re.compile(r"\b(?:the|an?|his|her|its|their)\s+$", re.IGNORECASE)


def asks_for_comparison(question: str) -> bool:
    return _COMPARISON.search(question) is not None or _OR.search(question) is not None


def asks_for_time(question: str) -> bool:
    return _TIME.search(question) is not None


def _without_names(question: str, found: re.Match[str]) -> str:
    """What is asked of the two names: the question's other words."""
    rest = question[: found.start("one")] + question[found.end("other") :]
    words = re.sub(
        r"\b(?:which|who|what|both|and|or|the|are|were|is|was|did|do|between|than|has)\b",
        " ",
        rest,
        flags=re.IGNORECASE,
    )
    return " ".join(words.replace("?", " ").replace(",", " ").replace(":", " ").split())
