"""The parts of a finished turn, exactly as `crag.answer/1` prints them.

They are TypedDicts, not dataclasses: they live in the graph's state, in the thread store, in traces
and on stdout, and are JSON in all four places. DraftQuote and AnswerPart, which make up a draft,
occur in the graph's state only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NotRequired, TypedDict

ANSWER_SCHEMA = "crag.answer/1"

Status = Literal["answered", "partial", "abstained"]
FAILED = "failed"
"""The status of a turn that ended without an answer; it occurs in traces only."""
Support = Literal["verbatim", "supported", "unsupported"]
ClaimVerdict = Literal["verified", "unverified", "contradicted"]
Decision = Literal["generate", "transform_query", "abstain"]


class Citation(TypedDict):
    """A located quote. `quote` is exactly `document.text[start_char:end_char]`; `passage` is the
    unaltered text around it: the blocks that are quoted together (paragraphs, list items, code with
    what introduces it), or table rows below their header. `anchor` names the place as a person
    would ("p. 4", "line 12"); lines are given only where they are lines of the file itself.
    `heading` is the heading above the quote. In an answer without a model, `shown` is the quote as
    it is displayed, and `best` the sentence or line of it that comes nearest to the question.
    """

    marker: int
    source: str
    title: str | None
    page: int | None
    anchor: str | None
    start_line: int | None
    end_line: int | None
    start_char: int
    end_char: int
    chunk_id: str
    quote: str
    passage: str
    support: Support
    heading: NotRequired[str]
    shown: NotRequired[str]
    best: NotRequired[str]


QUOTED = "it is a quote"
"""The reason of a claim that is a stretch of a document."""

UNSURE = "Not sure that the documents answer “{}”."
"""The line above the nearest passages when a turn abstains."""


class ClaimRecord(TypedDict):
    """The verdict on one part of the draft. `verified`: its quotes were located and hold its
    numbers, dates and names, or a model confirmed it; `unverified`: none of its quotes was located,
    or it says more than they do; `contradicted`: its own quote gives another number or date, so it
    is left out, as is what a model that was asked denies. `citations` are markers; `reason` is in
    words.
    """

    text: str
    verdict: ClaimVerdict
    citations: list[int]
    reason: str


class DraftQuote(TypedDict):
    """A quote that a model attributes to one of the documents it was given, by number."""

    document: int
    quote: str


class AnswerPart(TypedDict):
    """A sentence, item, table or code block of a draft. `before` is the whitespace between it and
    the part above. A model gives `quotes`, which code locates; the local engine gives `located`
    itself: citations without a marker.
    """

    before: str
    text: str
    quotes: list[DraftQuote]
    located: list[Citation]


class GradedChunk(TypedDict):
    """One retrieved chunk with its grade in one loop."""

    chunk_id: str
    source: str
    score: float
    relevant: bool
    confidence: float | None
    reason: str | None


class LoopRecord(TypedDict):
    """One pass of retrieve and grade, and what was decided after it."""

    loop: int
    query: str
    new_chunks: int
    decision: Decision
    reason: str
    chunks: list[GradedChunk]


class UsageCounts(TypedDict):
    llm_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class NodeUsage(UsageCounts):
    """`estimated` is true if the server sent no counts, so that they were counted here."""

    estimated: NotRequired[bool]


class Usage(UsageCounts):
    by_node: dict[str, NodeUsage]


class EngineInfo(TypedDict):
    name: str
    model: str | None
    embedder: str


class Answer(TypedDict):
    """One finished turn. `schema` is always ANSWER_SCHEMA. `dropped` are the parts that were taken
    out; `missing` is what the question asks and the documents do not say; `nearest` are the
    passages nearest to the question, if the turn abstained.
    """

    schema: str
    status: Status
    question: str
    standalone_question: str
    answer: str
    citations: list[Citation]
    claims: list[ClaimRecord]
    dropped: list[str]
    missing: list[str]
    nearest: list[Citation]
    loops: list[LoopRecord]
    loop_count: int
    max_loops: int
    generation_retries: int
    engine: EngineInfo
    usage: Usage
    timings_ms: dict[str, float]
    thread: str | None
    turn: int
    trace_id: str
    warnings: list[str]


def shown_citations(answer: Answer) -> list[Citation]:
    """The places that the text cites; of a refusal the nearest, if they are shown below it."""
    shown = "\n\n" in answer["answer"]
    return answer["citations"] or (answer["nearest"] if shown else [])


NO_USAGE: Usage = {
    "llm_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost_usd": 0.0,
    "by_node": {},
}


def add_usage(usage: Usage, node: str, spent: NodeUsage) -> Usage:
    """A new Usage with `spent` counted under `node`; `usage` is left as it was."""
    before = usage["by_node"].get(node)
    both: NodeUsage = spent if before is None else {**before, **spent, **_sum_counts(before, spent)}
    return {**_sum_counts(usage, spent), "by_node": {**usage["by_node"], node: both}}


def _sum_counts(one: UsageCounts, other: UsageCounts) -> UsageCounts:
    """The sums; of costs None (unknown) as soon as one of them is unknown."""
    cost, more = one["cost_usd"], other["cost_usd"]
    return {
        "llm_calls": one["llm_calls"] + other["llm_calls"],
        "input_tokens": one["input_tokens"] + other["input_tokens"],
        "output_tokens": one["output_tokens"] + other["output_tokens"],
        "cost_usd": None if cost is None or more is None else round(cost + more, 8),
    }


def add_usages(usages: Iterable[Usage]) -> Usage:
    """The sum of all usages, in total and by node."""
    whole = NO_USAGE
    for usage in usages:
        for node, spent in usage["by_node"].items():
            whole = add_usage(whole, node, spent)
    return whole
