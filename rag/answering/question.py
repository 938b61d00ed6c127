"""What a question asks for: the kind of answer, the noun in focus, its names, numbers, parts."""

# ruff: noqa: RUF001
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from rag.answering.measures import measure_asked
from rag.index.terms import terms
from rag.text.definitions import Definition, definition_asked

# Longer questions are read from their first characters only; the rest is pasted text.
MAX_QUESTION = 2000
_PREDICATE_CHARACTERS = 400

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
# Not those of identifiers ("H3K9", "MP4/11").
_NUMBER = re.compile(r"(?<![^\W_])(?<![^\W\d_][/.-])\d+(?:[.,]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nobody)\b|n['’]t\b", re.IGNORECASE
)
_ASKS = r"(?:who|whom|whose|what|which|when|where|why|how)"
_IS = re.compile(rf"\b({_ASKS})['’]s\b", re.IGNORECASE)
_PART = re.compile(
    rf"[?？;]\s+|,?\s+and\s+(?:also\s+)?(?=(?:(?:in|at|on|to|for|from|by"
    rf"|with)\s+)?{_ASKS}\b)",
    re.IGNORECASE,
)


# "Cells divide when they are fed." has a word that asks, and asks nothing.
_QUESTION_MARK = re.compile(r"[?？؟]")
_STATED = re.compile(
    rf"(?!(?:(?:in|at|on|to|for|from|by|with|of) )?{_ASKS}\b).*\.\s*$", re.IGNORECASE | re.DOTALL
)


class AnswerKind(StrEnum):
    PERSON = "person"
    DATE = "date"
    PLACE = "place"
    NUMBER = "number"
    NAME = "name"
    YES_NO = "yes_no"
    REASON = "reason"
    MANNER = "manner"
    LIST = "list"
    DEFINITION = "definition"
    OTHER = "other"


_BE = "is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|might|must|am"
_QUANTITY = (
    "number|amount|percentage|percent|proportion|fraction|share|population|height|length|distance|"
    "width|depth|weight|size|area|cost|price|age|temperature|speed|rate|score|salary|capacity|"
    "duration|total|ratio|density|fee|budget"
)
_TIME = "year|years|date|day|month|century|decade|time|period|era|season"
_SPACE = (
    "city|country|state|place|location|town|village|continent|region|river|island|street|county|"
    "province|district|capital|nation|countries|cities|states|places|area|areas|building"
)
# Of the noun after "what" or "which", with an article or adjective between.
_NOUN = rf"(?:(?:{_BE}) (?:the )(?:\w+ )?|(?:\w+ )?)"
_AFTER_WHAT: tuple[tuple[AnswerKind, str], ...] = (
    (
        AnswerKind.REASON,
        rf"(?:(?:{_BE}) )?(?:the |some )?(?:main )?(?:reason|cause|purpose)|caused?s?\b",
    ),
    (AnswerKind.DATE, rf"{_NOUN}(?:{_TIME})\b"),
    (AnswerKind.NUMBER, rf"{_NOUN}(?:{_QUANTITY})\b"),
    (AnswerKind.PLACE, rf"{_NOUN}(?:{_SPACE})\b"),
    (AnswerKind.DEFINITION, r"(?:are|were) (?!the )\S+(?: \S+)?\s*\??$"),
    (AnswerKind.LIST, r"are\b|were the \w+s\b"),
    (
        AnswerKind.DEFINITION,
        r"(?:is|was) (?:an? |the )?\S+(?: \S+)?\s*\??$|does .* (?:mean|stand for)\b",
    ),
)
_HOW_NUMBER = (
    r"(?:many|much|long|far|tall|old|fast|large|big|often|high|deep|wide|heavy|hot|cold|few|soon|"
    r"frequently|likely)\b"
)
_ASK = re.compile(r"\b(who|whom|whose|what|which|why|how)\b\s*(.*)", re.IGNORECASE | re.DOTALL)
_WHEN_WHERE = re.compile(r"\b(when|where)\b", re.IGNORECASE)
_COMMAND = re.compile(
    r"^(?:please )?(?:(list|name|enumerate|give)|(define|explain|describe))\b", re.IGNORECASE
)
_FOCUS = re.compile(
    r"\b(?:what|which)(?:\s+(?:type|kind|sort|form|types|kinds|sorts"
    r"|name)s?\s+of)?\s+((?:[^\W\d_][\w'’-]*\s+){0,2}?[^\W\d_][\w'’-]*)\s+"
    rf"(?:{_BE}|[\w'’-]+ed|that|in|of|who)\b|\bhow (?:many"
    rf"|much)\s+([^\W\d_][\w'’-]*(?:\s+[^\W\d_][\w'’-]*)?)",
    re.IGNORECASE,
)


# "When was the light automated?", "Who built it?", "Where did the line end?": what is asked to
# have happened. A last word behind an article or a preposition is no verb.
_PREDICATE = (
    re.compile(
        rf"\b{_ASKS}\b.*\b(?:was|were|is|are|been|be|got|get)\b.*?"
        r"\b(\w{2,}(?:ed|en|wn|lt|ng|ld|nt|de|ght))\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bwho\s+(?!(?:is|was|are|were|has|had|did|do|does|can)\b)(\w{3,})\b", re.IGNORECASE
    ),
    re.compile(
        rf"\b{_ASKS}\b.*\b(?:did|does|do)\s+(?:\S+\s+){{0,3}}"
        r"(?!(?:a|an|the|in|of|to|for|on|at)\s)\S+\s+(\w{3,})\W*$",
        re.IGNORECASE,
    ),
)

# What asks, and says nothing of what is asked about.
_ASKING = re.compile(
    rf"\bhow {_HOW_NUMBER}|\b(?:what|which)\s+(?:(?:{_BE})\s+)?(?:the\s+)?(?:exact\s+)?(?:{_TIME}"
    rf"|{_QUANTITY}|names?|kinds?|types?|sorts?|forms?)\b|\b(?:must|may|might|happen(?:s|ed)?|needs?)\b|\bnumber(?=\s*\?)"
    r"|\bthe one (?=who|that|which)"
    # What a follow-up is about, added behind it, need not be said again.
    r"|\s\([^()]*\)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """`matter` is the text without what only asks ("how many", "in what year"); `terms` are
    stemmed and unique, in order, `subject` those of the matter; `names` holds those of
    capitalised words.
    """

    text: str
    matter: str
    kind: AnswerKind
    terms: tuple[str, ...]
    subject: tuple[str, ...]
    names: frozenset[str]
    numbers: frozenset[str]
    focus: frozenset[str]
    negated: bool
    asks: bool  # a statement, or words to look for, asks nothing
    predicate: frozenset[str]  # the terms of what is asked to have happened
    definition: Definition | None  # what defines the thing that is asked about
    measure: re.Pattern[str] | None  # what a quantity of the kind asked for looks like


def analyse(text: str) -> Question:
    text = text[:MAX_QUESTION].strip()
    matter, kind = _ASKING.sub(" ", text), _kind(text)
    return Question(
        text=text,
        matter=matter,
        kind=kind,
        terms=tuple(dict.fromkeys(terms(text))),
        subject=tuple(dict.fromkeys(terms(matter) or terms(text))),
        names=frozenset(_names(text)),
        numbers=frozenset(number.replace(",", "") for number in _NUMBER.findall(text)),
        focus=frozenset(_focus(text)),
        negated=bool(_NEGATION.search(text)),
        asks=_asks(text, kind),
        predicate=_predicate(matter),
        definition=definition_asked(text),
        measure=measure_asked(text),
    )


def _predicate(text: str) -> frozenset[str]:
    end = text[-_PREDICATE_CHARACTERS:]  # the patterns take the cube of a text of "what is"
    found = next((match for pattern in _PREDICATE if (match := pattern.search(end))), None)
    return frozenset(terms(found[1])) if found else frozenset()


def _asks(text: str, kind: AnswerKind) -> bool:
    if _QUESTION_MARK.search(text) or kind is AnswerKind.YES_NO or _COMMAND.match(text):
        return True
    return kind is not AnswerKind.OTHER and not _STATED.match(text)


def negations(text: str) -> int:
    """How many words of denial a text holds."""
    return sum(1 for _ in _NEGATION.finditer(text))


def parts(text: str) -> list[str]:
    """The questions within a question, in order; the text itself if there is one only."""
    found = [piece.strip(" ,") for piece in _PART.split(text[:MAX_QUESTION])]
    asked = [
        piece
        for piece in found
        if re.search(rf"\b{_ASKS}\b", piece, re.IGNORECASE) and terms(piece)
    ]
    return asked if len(asked) > 1 else [text[:MAX_QUESTION].strip()]


def _kind(text: str) -> AnswerKind:
    text = _IS.sub(r"\1 is", text)
    if re.match(rf"(?:{_BE})(?:n['’]t)?\s", text, re.IGNORECASE):
        return AnswerKind.YES_NO
    asked, where = _ASK.search(text), _WHEN_WHERE.search(text)
    # "what happens when it rains" asks for no date; "when did the man who ..." does.
    if where and (not asked or (where.start() < asked.start() and where.start() < 12)):
        return AnswerKind.DATE if where.group().lower() == "when" else AnswerKind.PLACE
    if asked:
        return _asked(asked.group(1).lower(), asked.group(2).lower())
    if command := _COMMAND.match(text):
        return AnswerKind.LIST if command.group(1) else AnswerKind.DEFINITION
    return AnswerKind.OTHER


def _asked(word: str, rest: str) -> AnswerKind:
    if word in ("who", "whom", "whose"):
        return AnswerKind.PERSON
    if word == "why" or rest.startswith("come "):
        return AnswerKind.REASON
    if word == "how":
        return AnswerKind.NUMBER if re.match(_HOW_NUMBER, rest) else AnswerKind.MANNER
    return next((kind for kind, pattern in _AFTER_WHAT if re.match(pattern, rest)), AnswerKind.NAME)


def _names(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        word = match.group()
        inner = match.start() > 0 and text[: match.start()].rstrip()[-1:] not in ".?!:"
        if (inner and word[0].isupper()) or any(c.isupper() for c in word[1:]):
            yield from terms(word)


def _focus(text: str) -> list[str]:
    match = _FOCUS.search(text)
    return terms(match.group(1) or match.group(2) or "") if match else []
