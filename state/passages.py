"""What passes between retrieval, grading and answering: chunks, grades, a model's documents, parsed
questions, earlier turns.

They are TypedDicts because they live in the graph's state and are JSON. They are a module of their
own so that a search need not import LangGraph.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from state.answer import Answer, Citation
from state.blocks import Block, BlockKind
from state.documents import without_header

_NUMBER = re.compile(r"(?:[IVXLC]+|[\d.]+|[A-Z])[.)]?")

WebUse = Literal["allowed", "searched"]
"""Whether the web may be, or was, searched; None in the state if it is not allowed."""


class FoundChunk(TypedDict):
    """A chunk where a search found it. Lines are 1-based and inclusive. `anchor` is as in
    `state.documents.Chunk`: where it is not None, the lines are lines of the extracted text only.
    `score` is the fused score (higher is better, comparable within one query only); the ranks are
    1-based places in the two legs, None where a leg did not return the chunk.
    """

    chunk_id: str
    source: str
    page: int | None
    anchor: NotRequired[str | None]
    start_line: int
    end_line: int
    score: float
    dense_rank: int | None
    lexical_rank: int | None


class RetrievedChunk(FoundChunk):
    """A chunk as a query retrieved it. Offsets are characters of the extracted text. `loop` is the
    loop that first found it.
    """

    title: str | None
    heading: str
    start_char: int
    end_char: int
    text: str
    blocks: list[Block]
    loop: int


WEB_PREFIX = "web:"


def is_web(chunk: RetrievedChunk | Citation) -> bool:
    """Whether the chunk is a passage of the web, in no collection."""
    return chunk["chunk_id"].startswith(WEB_PREFIX)


GraderName = Literal["local", "model"]


class Grade(TypedDict):
    """A chunk's binary grade and what it rests on.

    `confidence` is the calibrated probability, 0 to 1, that the chunk is relevant (None if the
    grader gives none).
    """

    chunk_id: str
    relevant: bool
    confidence: float | None
    reason: str | None
    grader: GraderName


def text_between(held: RetrievedChunk, start: int, end: int) -> str:
    """The document's text at `[start:end]`, which must lie within the chunk `held`."""
    return held["text"][start - held["start_char"] : end - held["start_char"]]


class ContextDocument(TypedDict):
    """One document's excerpts for a model, in page order, cited by `number`, from 1."""

    number: int
    source: str
    title: str | None
    excerpts: list[RetrievedChunk]


def make_citation(held: RetrievedChunk, start: int, end: int, passage: str) -> Citation:
    """A citation of `[start:end]` of a document, which must lie within the chunk `held`; it has no
    marker yet. Lines are given only where they are lines of the file itself.
    """
    quote = text_between(held, start, end)
    line = held["start_line"] + held["text"].count("\n", 0, start - held["start_char"])
    anchor = _anchor_at(held, start)
    return {
        "marker": 0,
        "source": held["source"],
        "title": held["title"],
        "page": held["page"],
        "anchor": f"line {line}" if anchor is None else anchor,
        "start_line": line if anchor is None else None,
        "end_line": line + quote.count("\n") if anchor is None else None,
        "start_char": start,
        "end_char": end,
        "chunk_id": held["chunk_id"],
        "quote": quote,
        "passage": passage,
        "support": "verbatim",
    }


def _anchor_at(held: RetrievedChunk, at: int) -> str | None:
    """The anchor at an offset of the document: in a converted one the last heading of the chunk
    before it, or else its paragraph; None where lines tell the place.
    """
    anchor = held.get("anchor")
    kind, _, number = (anchor or "").partition(" ")
    if kind not in ("section", "paragraph", "row"):  # what the format itself calls a place
        return anchor
    before = sum(Block(*each).start_char <= at for each in held["blocks"])
    if headings := _own_headings(held, at):
        return f"section {headings[-1]}"
    return anchor if kind == "section" else f"{kind} {int(number) + max(before - 1, 0)}"


def heading_at(held: RetrievedChunk, at: int) -> str:
    """The heading above an offset of the document, or "". A heading that is only a number (of a
    chapter, a version) is given behind the one above it, or behind the title.
    """
    path = _own_headings(held, at) or without_header(held["heading"])[0].split(" > ")
    if not _NUMBER.fullmatch(path[-1]):
        return path[-1]
    return " > ".join(dict.fromkeys(filter(None, [held["title"], *path][-2:])))


def _own_headings(held: RetrievedChunk, at: int) -> list[str]:
    """The path of headings within the chunk that lead to the offset."""
    above: list[Block] = []
    for block in (Block(*each) for each in held["blocks"]):
        if block.kind is BlockKind.HEADING and block.start_char <= at:
            above = [*(each for each in above if each.level < block.level), block]
    return [" ".join(text_between(held, *each.extent).split()) for each in above]


class ParsedQuestion(TypedDict):
    """A question as it is searched. `text` is as the collection spells it. `terms` are
    unique and in order; `spelt` is each as typed, folded; `specificity` is how much its word says
    in any text, 0 to about 1.25, at least 1 with a capital letter. `weights` are inverse document
    frequency here times squared specificity, so that "turn" and "many" weigh little even where they
    are rare.
    """

    text: str
    terms: Sequence[str]
    weights: Mapping[str, float]
    spelt: Mapping[str, str]
    specificity: Mapping[str, float]


class QuestionPart(TypedDict):
    """A question within the question. `pool` is what it retrieves by itself, best first;
    `in_domain` the probability that the collection holds anything about it, None until estimated.
    """

    question: ParsedQuestion
    pool: Sequence[RetrievedChunk]
    in_domain: float | None


class HistoryTurn(TypedDict):
    """An earlier exchange as the model may see it; `answer` is empty where there was none."""

    question: str
    standalone_question: str
    answer: str
    turn: int
    milestone: bool


def to_history_turn(answer: Answer, number: int, *, milestone: bool) -> HistoryTurn:
    """A finished turn as later turns see it."""
    return {
        "question": answer["question"],
        "standalone_question": answer["standalone_question"],
        "answer": "" if answer["status"] == "abstained" else answer["answer"],
        "turn": number,
        "milestone": milestone,
    }
