"""Which sentences make the answer: the fewest that suffice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answering.candidates import candidates
from rag.answering.evidence import Measured
from rag.answering.listings import listing
from rag.answering.question import AnswerKind, Question
from rag.answering.strips import Strip, evidence, follows, heading, leans_on, siblings, table_head
from rag.text.definitions import OUTRIGHT

_COMMAND = re.compile(r"\s*[$%] \w")
_SAYS = re.compile(r"\W*(?:yes|no|not)\b", re.IGNORECASE)

MOST_SENTENCES = 3
MOST_ITEMS = 8
# A further sentence stands beside the best only if it is about as likely to hold the answer,
# and what is asked for is given with its kind before it is given without.
NEARLY_AS_LIKELY = 0.5
WORTH_A_LOOK = 0.4
# Of a question's weight: a sentence that says this much of it needs none before it.
SPEAKS_FOR_ITSELF = 0.5
STRAYS = 0.2
# "When did it open?" wants a day or year, "when is it open?" hours and days of the week.
_CALENDAR = re.compile(
    r"\b(?:1\d{3}|20\d{2})\b|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)|\bcentur(?:y|ies)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\bwhen (?:did|was|were|had)\b|\b(?:what|which) (?:year|date|day)\b", re.IGNORECASE
)
_TYPED_KINDS = (AnswerKind.DATE, AnswerKind.NUMBER, AnswerKind.PERSON, AnswerKind.PLACE)


def ranked(question: Question, measured: Sequence[Measured]) -> list[int]:
    """Indices of what can be said, the likeliest first; but where a date is asked for, a
    sentence with a date before one without, where a yes or no is, "Yes, ..." before others,
    where a list is, its rows or items, where a definition is, what says what the thing is, where it
    is asked how, a command to type. Empty only where nothing is evidence.
    """
    strips = [item.strip for item in measured]
    able = evidence(strips)
    order = sorted(
        [i for i in able if _adds(question, strips, i)] or able,
        key=lambda i: -measured[i].probability,
    )
    if not order:
        return order
    least = WORTH_A_LOOK * measured[order[0]].probability
    fitting = [i for i in order if measured[i].probability >= least and _fits(question, strips[i])]
    if (definition := question.definition) is not None:
        outright = [i for i in order if definition.said_in(strips[i].text) == OUTRIGHT]
        fitting = [*outright, *fitting]
    if question.predicate:
        even = NEARLY_AS_LIKELY * measured[order[0]].probability
        fitting.sort(
            key=lambda i: (
                measured[i].probability < even or not question.predicate & set(strips[i].terms)
            )
        )
    return list(dict.fromkeys([*listing(question, measured), *fitting, *order]))


def _fits(question: Question, strip: Strip) -> bool:
    if question.kind is AnswerKind.DATE and _PAST.search(question.text):
        return bool(_CALENDAR.search(strip.text) and candidates(strip.text, question))
    if question.kind in _TYPED_KINDS:
        return bool(candidates(strip.text, question))
    if question.kind is AnswerKind.YES_NO:
        return bool(_SAYS.match(strip.text))
    if question.kind is AnswerKind.LIST and strip.is_item:
        return True
    if question.kind is AnswerKind.MANNER and _COMMAND.match(strip.text):
        return True
    return _defines(question, strip)


def _defines(question: Question, strip: Strip) -> bool:
    return question.definition is not None and question.definition.said_in(strip.text) > 0


def selected(question: Question, measured: Sequence[Measured], order: Sequence[int]) -> list[int]:
    """Indices of the sentences of the answer, the likeliest first; `order` as `ranked` has it."""
    strips = [item.strip for item in measured]
    best = order[0]
    if whole := listing(question, measured)[:MOST_ITEMS] or _list(question, strips, best):
        return whole
    least = NEARLY_AS_LIKELY * measured[best].probability
    typed = question.kind in _TYPED_KINDS and bool(candidates(strips[best].text, question))
    defined = _defines(question, strips[best])
    happened = typed and bool(question.predicate & set(strips[best].terms))
    found = [best]
    for i in order[1:]:
        if (
            measured[i].probability >= least
            and (not typed or candidates(strips[i].text, question))
            and (not defined or _defines(question, strips[i]))
            and (not happened or question.predicate & set(strips[i].terms))
            and _alike(question, strips[best], strips[i])
            and _stays(measured, best, i)
            and not any(set(strips[i].terms) <= set(strips[j].terms) for j in found)
        ):
            found.append(i)
    found = found[:MOST_SENTENCES]
    for i in list(found):
        # A sentence that opens with "It" is not understood without the one before.
        if table_head(strips, i) is None and (measured[i].features["coverage"] < SPEAKS_FOR_ITSELF):
            found += [j for j in leans_on(strips, i) if j not in found]
    return found[:MOST_SENTENCES]


def _alike(question: Question, best: Strip, other: Strip) -> bool:
    """Whether both give a date, or both times."""
    if question.kind is not AnswerKind.DATE:
        return True
    return bool(_CALENDAR.search(best.text)) == bool(_CALENDAR.search(other.text))


def _stays(measured: Sequence[Measured], best: int, i: int) -> bool:
    """Whether a further sentence stays with the subject: it stands in the same section, or
    its own says about as much of what is asked.
    """
    strips = [item.strip for item in measured]
    if strips[i].source == strips[best].source and heading(strips, i) == heading(strips, best):
        return True
    asked = "context_coverage"
    return measured[i].features[asked] >= measured[best].features[asked] - STRAYS


def _list(question: Question, strips: Sequence[Strip], best: int) -> list[int]:
    """The items that the best sentence announces, or that it is one of where all are wanted."""
    if items := follows(strips, best):
        return [best, *items][: MOST_ITEMS + 1]
    if question.kind is AnswerKind.LIST and len(items := siblings(strips, best)) > 1:
        return items[:MOST_ITEMS]
    return []


def _adds(question: Question, strips: Sequence[Strip], i: int) -> bool:
    """Whether a strip says anything that the question does not; a question in the text (of a
    list of questions and answers) only where it holds what is asked for.
    """
    strip = strips[i]
    if strip.text.rstrip("*_\"' ").endswith("?"):
        return bool(candidates(strip.text, question))
    if strip.text.rstrip("*_ ").endswith(":") and not follows(strips, i):
        return bool(candidates(strip.text, question))
    return question.kind is AnswerKind.YES_NO or not set(strip.terms) <= set(question.terms)
