"""Splits a question into the questions within it, its parts; each is answered for itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from rag.index.candidates import terms_with_headings
from rag.index.reader import CollectionReader
from rag.index.terms import terms
from rag.question.dates import with_dates
from rag.question.followup import stand_alone
from rag.question.parse import (
    ASKS,
    QUESTION_CHARACTERS,
    VERBS,
    parse_question,
    share,
    split_context,
    with_context,
)
from state.graph_state import fresh
from state.passages import HistoryTurn, QuestionPart, RetrievedChunk

POOL = 30
"""The best chunks that a question finds by itself, which others are graded against."""
MOST_PARTS = 4
OUT_OF_DOMAIN = 0.04
"""Below this probability that the collection covers the question, nothing found is near it,"""
_BEST, _HALF = 3, 0.5
"""unless one of so many chunks holds this share of its weighted terms."""

LEAST_WORDS = 3
"""A piece of fewer words is no question and belongs to the one before it."""
ASKING = re.compile(rf"\b(?:{ASKS})\b|^\W*(?:{VERBS})\b", re.IGNORECASE)
_BEFORE = "in|on|at|from|for|by|to|with|of|under|into|over|during|since|through|within"
_BEFORE_IT = rf"(?:(?:{_BEFORE})\s+(?:[^,?？]{{1,30}},\s+)?)?"  # noqa: RUF001
"""What may stand before the word that asks: "in which", "on Sundays, when"."""
_PART = re.compile(
    rf"(?<=[?？])\s+|;\s+|,?\s+and\s+(?:also\s+)?(?={_BEFORE_IT}(?:{ASKS})\b)",  # noqa: RUF001
    re.IGNORECASE,
)


def is_near(part: QuestionPart) -> bool:
    """Whether the nearest passages are worth showing even if they may not answer the part: it is
    likely enough that they do, or one speaks of half of what is asked about.
    """
    if part["in_domain"] is None or part["in_domain"] >= OUT_OF_DOMAIN:
        return True
    weights, best = part["question"]["weights"], part["pool"][:_BEST]
    return any(share(weights, terms_with_headings(each)) >= _HALF for each in best)


def read_parts(
    question: str, reader: CollectionReader, found: Sequence[RetrievedChunk] = ()
) -> list[QuestionPart]:
    """The parts of the question, parsed and searched for in the collection, each day also in the
    form that this holds; `found` is what the whole question finds, where it was searched for
    already.
    """
    parts: list[QuestionPart] = []
    for text in split_alone(question):
        parsed = parse_question(with_dates(text, reader), reader)
        known = found and parsed["text"] == question
        pool = found[:POOL] if known else reader.search(parsed["text"], POOL)
        parts.append({"question": parsed, "pool": pool, "in_domain": None})
    return parts


def split_alone(question: str, most: int = MOST_PARTS) -> list[str]:
    """The parts of a question, each made to stand alone: a later one may mean by "it" what an
    earlier one names.
    """
    asked: list[HistoryTurn] = []
    for text in split(question, most):
        alone, _ = stand_alone(text, asked)
        asked.append(fresh(HistoryTurn, question=text, standalone_question=alone))
    return [turn["standalone_question"] for turn in asked]


def split(text: str, most: int = MOST_PARTS) -> list[str]:
    """The parts of a question, in order; those beyond `most` are joined into the last. A piece that
    asks nothing belongs to the part before it; where there is none, the text is not split.
    """
    text, about = split_context(text[:QUESTION_CHARACTERS])
    gaps = [gap.span() for gap in _PART.finditer(text)]
    pieces: list[tuple[int, int]] = []
    for (_, start), (end, _) in pairwise([(0, 0), *gaps, (len(text), len(text))]):
        if is_question(text[start:end]):
            pieces.append((start, end))
        elif pieces:
            pieces[-1] = (pieces[-1][0], end)
        else:
            break
    if len(pieces) < 2:
        return [with_context(text, about)]
    found = [with_context(text[start:end].strip(" ,"), about) for start, end in pieces]
    return found if len(found) <= most else [*found[: most - 1], "; ".join(found[most - 1 :])]


def is_question(piece: str) -> bool:
    """Whether the piece has a question mark or an asking word, and enough words beside it."""
    asks = "?" in piece or "？" in piece or ASKING.search(piece) is not None  # noqa: RUF001
    return asks and bool(terms(piece)) and len(piece.split()) >= LEAST_WORDS
