"""Parts of a sentence that could be the answer: dates, numbers, names, reasons."""

from __future__ import annotations

import re

from rag.answering.question import AnswerKind, Question
from rag.index.terms import terms

_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATE = re.compile(
    rf"\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?(?=\s+\d)"
    r"|\b\d{1,2}\s+(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|"
    rf"\b(?:1\d{{3}}|20\d{{2}})s?\b|\b(?:{_MONTH})\b(?=\s+\d|,|\s+of\b)|\b\d{{1,2}}(?:st|nd|rd"
    rf"|th)?\s+(?:{_MONTH})\b|"
    r"\b(?:\d{1,2}(?:st|nd|rd|th)|\w+teenth|\w+(?:st|nd|rd|th)) centur(?:y|ies)\b|\b(?:mon"
    r"|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b\d{1,5}\s*(?:BC|AD|BCE|CE)\b|\b(?:AD|BC)\s*\d+|\b\d{1,2}(?::\d{2})?\s*[ap]\.?m\b"
    r"|\b\d{4}-\d{2}-\d{2}\b|"
    r"\b(?:spring|summer|autumn|winter|christmas|easter|midnight|noon|dawn|dusk|today"
    r"|yesterday|decades?|centur(?:y|ies)|"
    r"(?:years?|days?|weeks?|months?|hours?) (?:later|after|before|ago|earlier))\b",
    re.IGNORECASE,
)
_NUMBER_WORD = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    "hundreds?|thousands?|millions?|billions?|trillions?|dozens?|half|third|quarter|two-thirds|twice|"
    "double|several|majority|most|few|couple|once|daily|weekly|monthly|annually|yearly"
)
_NUMBER = re.compile(rf"[$€£¥]?\d+(?:[.,]\d+)*\s*%?|\b(?:{_NUMBER_WORD})\b", re.IGNORECASE)
_NAME = re.compile(
    r"[^\W\d_a-z][\w’'.&-]*(?:\s+(?:(?:of|the|de|la|von|van|der|and"
    r"|&)\s+){0,2}[^\W\d_a-z][\w’'.&-]*)*"
)
_PLACE = re.compile(
    r"\b(?:in|at|from|near|to|into|of|through|around|across|on|outside|within|between"
    r"|towards?)\s+(?:the\s+)?"
    r"(?:(?:north|south|east|west|northern|southern|eastern|western|central|downtown"
    r"|nearby)\s+)?(?=[A-Z])"
)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|since|as a result|caused? by|reasons?|in order to|so that"
    r"|thus|therefore|thanks to|"
    r"led to|lead to|result(?:s|ed|ing)? (?:in|from)|attributed to|to (?:avoid|prevent|allow"
    r"|make|ensure|reduce|protect|keep|help|increase)|for fear|stems? from|"
    r"purpose|aim(?:ed|s)?|for the)\b",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\b(?:by|through|using|via|with|method|process|means|way|first|then|\w+ly)\b", re.IGNORECASE
)
_DEFINES = re.compile(
    r"\b(?:is|are|was|were)\s+(?:an?|the|one of)\b|\b(?:refers? to|means|known as|called"
    r"|defined as|denotes|stands for)\b|:\s",
    re.IGNORECASE,
)
_LISTING = re.compile(r",[^,]+,?\s+(?:and|or)\s+|^\s*(?:[-*+•]|\d+[.)])\s|:\s|;")

_PATTERNS = {
    AnswerKind.DATE: _DATE,
    AnswerKind.NUMBER: _NUMBER,
    AnswerKind.REASON: _REASON,
    AnswerKind.MANNER: _MANNER,
    AnswerKind.DEFINITION: _DEFINES,
    AnswerKind.LIST: _LISTING,
}


def candidates(sentence: str, question: Question) -> list[tuple[int, int]]:
    """Offsets in the sentence of what fits the kind of answer and is not in the question."""
    asked = set(question.terms)
    if question.kind in (AnswerKind.PERSON, AnswerKind.NAME, AnswerKind.OTHER):
        return [span for span in names(sentence) if _is_new(sentence, span, asked)]
    if question.kind is AnswerKind.PLACE:
        after = {match.end() for match in _PLACE.finditer(sentence)}
        return [
            span for span in names(sentence) if span[0] in after and _is_new(sentence, span, asked)
        ]
    pattern = _PATTERNS.get(question.kind)
    if pattern is None:
        return []
    # A table has its units in its head.
    if question.kind is AnswerKind.NUMBER and question.measure and " | " not in sentence:
        pattern = question.measure
    found = [match.span() for match in pattern.finditer(sentence)]
    if question.kind in (AnswerKind.DATE, AnswerKind.NUMBER):
        found = [span for span in found if _is_new(sentence, span, asked)]
    return found


def names(sentence: str) -> list[tuple[int, int]]:
    """Runs of capitalised words; a sentence's first word alone is none unless it looks rare."""
    found = []
    for match in _NAME.finditer(sentence):
        start, end = match.span()
        single = " " not in match.group()
        if start == 0 and single and (not terms(match.group()) or match.group().endswith("ly")):
            continue
        found.append((start, end))
    return found


def _is_new(sentence: str, span: tuple[int, int], asked: set[str]) -> bool:
    own = terms(sentence[span[0] : span[1]])
    return any(term not in asked for term in own)
