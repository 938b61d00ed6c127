"""A draft between generate and check_answer: its parts, and what each of them rests on.

TypedDicts, since they pass through the graph's state and are JSON. A model names the documents and
the words that it rests on, which code locates; the local engine, whose parts are verbatim, gives
the places themselves.
"""

from __future__ import annotations

from typing import TypedDict

from state.answer import Citation


class DraftQuote(TypedDict):
    """Words that a model says stand in the document of that number among those it was given."""

    document: int
    quote: str


class AnswerPart(TypedDict):
    """A sentence, an item, a table or a code block of an answer. `before` is the whitespace that
    parts it from the one above; `located` are citations without a number.
    """

    before: str
    text: str
    quotes: list[DraftQuote]
    located: list[Citation]
