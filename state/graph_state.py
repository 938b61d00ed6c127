"""GraphState: what lives for a thread, what lives for a question, and the reset between.

ThreadState is checkpointed. QuestionState is scratch work: its channels are untracked, or
emptied before the turn ends (`scratchpad`), so nothing of it is in a checkpoint, and
`new_question()` builds a whole fresh one from the type itself, so a field added here cannot be
forgotten by the reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import NoneType
from typing import (
    Annotated,
    Any,
    TypedDict,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from langgraph.channels import UntrackedValue

from state.answer import AnswerPart, Citation, ClaimRecord, LoopRecord, Status, Usage
from state.passages import ContextDocument, Grade, HistoryTurn, QuestionPart, RetrievedChunk, WebUse

T = TypeVar("T")

TIMELINE_WINDOW = 10
"""Turns that a checkpoint holds, besides the milestones."""
DEFAULT_MAX_LOOPS = 3


def overwrite(_old: T, new: T) -> T:
    """The new value replaces the old one: the reducer of the ephemeral scratchpad."""
    return new


def milestone_window(
    old: Sequence[HistoryTurn], new: Sequence[HistoryTurn], *, size: int = TIMELINE_WINDOW
) -> list[HistoryTurn]:
    """A reducer that keeps the last `size` turns plus every milestone, in order.

    Pure and O(turns); it never calls a model and never mutates its arguments.
    """
    turns = [*(old or ()), *(new or ())]
    first_recent = len(turns) - size
    return [
        turn
        for index, turn in enumerate(turns)
        if index >= first_recent or turn.get("milestone", False)
    ]


class ThreadState(TypedDict):
    """What a thread keeps between questions.

    `timeline` holds the newest turns and the milestones, oldest first, with the turn that was just
    finished. Where turns are stored, start_turn cuts it to the token budget and fills it up from
    the store. Follow-ups are resolved and answers are written from no other turns.
    """

    timeline: Annotated[list[HistoryTurn], milestone_window]


class QuestionState(TypedDict):
    """The scratch state of one question, which ends with its turn.

    `parts` are the questions within it, parsed once and used by every node. `scratchpad` holds the
    last attempt's critique only: each write replaces it, and record_turn empties it. `queries`
    are searched beside each other; `no_query` says why there is no better one. `documents` are all
    chunks that were retrieved so far; `retrieval_scores` are the last queries', best first.
    `passages` are, for each of the `parts`, the snippets that answer it, without markers yet.
    `model_decides`: only the model that answers may say that the documents hold no answer; `gaps`
    is what it said it lacks, while that is searched for. `context` is what a model is given,
    `draft` what generate made of it, `generation` the text that is shown of the draft, `missing`
    what the documents do not say of what was asked. `refusal` is what a model that quotes says in
    place of an answer; `nearest` is what it then points at, or else code. `ended_early` says why
    what was answered first stands.
    """

    scratchpad: Annotated[list[str], overwrite]
    question: Annotated[str, UntrackedValue]
    standalone_question: Annotated[str, UntrackedValue]
    parts: Annotated[list[QuestionPart], UntrackedValue]
    queries: Annotated[list[str], UntrackedValue]
    no_query: Annotated[str | None, UntrackedValue]
    query_rewrites: Annotated[list[str], UntrackedValue]
    documents: Annotated[list[RetrievedChunk], UntrackedValue]
    new_documents: Annotated[list[str], UntrackedValue]
    retrieval_scores: Annotated[dict[str, float], UntrackedValue]
    grades: Annotated[dict[str, Grade], UntrackedValue]
    sufficient: Annotated[bool, UntrackedValue]
    model_decides: Annotated[bool, UntrackedValue]
    gaps: Annotated[list[str], UntrackedValue]
    loops: Annotated[list[LoopRecord], UntrackedValue]
    loop_count: Annotated[int, UntrackedValue]
    max_loops: Annotated[int, UntrackedValue]
    passages: Annotated[list[list[Citation]], UntrackedValue]
    context: Annotated[list[ContextDocument], UntrackedValue]
    draft: Annotated[list[AnswerPart], UntrackedValue]
    missing: Annotated[list[str], UntrackedValue]
    generation: Annotated[str, UntrackedValue]
    generation_retries: Annotated[int, UntrackedValue]
    ended_early: Annotated[str | None, UntrackedValue]
    complete: Annotated[bool, UntrackedValue]
    citations: Annotated[list[Citation], UntrackedValue]
    claims: Annotated[list[ClaimRecord], UntrackedValue]
    dropped: Annotated[list[str], UntrackedValue]
    refusal: Annotated[str | None, UntrackedValue]
    nearest: Annotated[list[Citation], UntrackedValue]
    status: Annotated[Status | None, UntrackedValue]
    web: Annotated[WebUse | None, UntrackedValue]
    usage: Annotated[Usage, UntrackedValue]
    timing_metrics: Annotated[dict[str, float], UntrackedValue]
    warnings: Annotated[list[str], UntrackedValue]


class GraphState(ThreadState, QuestionState):
    """The whole state; JSON throughout. `documents` is in order of first retrieval, so that what an
    early loop found reaches the answer.
    """


def new_chunks(state: GraphState) -> list[RetrievedChunk]:
    """The chunks that the last search was the first to find."""
    new = set(state["new_documents"])
    return [chunk for chunk in state["documents"] if chunk["chunk_id"] in new]


def queries_tried(state: GraphState) -> list[str]:
    """The queries that were searched so far, oldest first."""
    return [state["standalone_question"], *state["query_rewrites"]]


class TurnInput(TypedDict):
    """A turn's whole input; everything else is loaded or reset by start_turn."""

    question: str


_hints: Callable[[Any], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))


def _empty(hint: Any) -> Any:
    kind = get_origin(hint) or hint
    if kind is Annotated:
        return _empty(get_args(hint)[0])
    if NoneType in get_args(hint):
        return None
    if is_typeddict(kind):
        return {key: _empty(value) for key, value in _hints(kind).items()}
    if kind in (str, int, float, bool, list, dict):
        return kind()
    raise TypeError(f"no empty value for {hint}: name a TypedDict or add None")


def fresh(kind: type[T], **given: Any) -> T:
    """A new TypedDict of this kind, in which every field that is not given is empty.

    Raises:
        TypeError: a field that is not given has a type without an evident empty value.
    """
    hints = {name: hint for name, hint in _hints(kind).items() if name not in given}
    return cast("T", {name: _empty(hint) for name, hint in hints.items()} | given)


def picked(kind: type[T], values: Mapping[str, Any]) -> T:
    """A TypedDict of this kind: of the values those that have its fields' names."""
    return cast("T", {name: values.get(name) for name in kind.__annotations__})


def new_question(question: str = "", max_loops: int = DEFAULT_MAX_LOOPS) -> QuestionState:
    """A new QuestionState, with every field of the type."""
    return fresh(QuestionState, question=question, max_loops=max_loops)
