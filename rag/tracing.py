"""Stored traces: a run repeated with the history that its question had, under the same or other
settings; and the differences between two runs, down to grades and ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, cast

from state.errors import UsageError
from state.trace_store import Trace

if TYPE_CHECKING:
    from state.events import TurnStarted
    from state.research_state import ResearchStarted
    from state.settings import Settings

_SAME = ("collection", "engine", "model", "k", "max_loops", "grader", "verify", "web")


def start_event(trace: Trace) -> TurnStarted | ResearchStarted:
    """The event that says how the run was set up: its first."""
    return cast("TurnStarted | ResearchStarted", trace["events"][0])


def is_research(trace: Trace) -> bool:
    return start_event(trace)["event"] == "research_started"


def recorded_flags(trace: Trace, engine: object) -> dict[str, Any]:
    """The settings of the trace; without its model if another `engine` is given."""
    left_out = () if engine is None else ("model",)
    event = start_event(trace)
    return {name: each for name, each in event.items() if name in _SAME and name not in left_out}


def replay(trace: Trace, settings: Settings, notify: Callable[[str], None]) -> Trace:
    """Run the question outside its thread, which stays as it is, and return the new trace.

    Raises:
        UsageError: it is a research run.
        CragError: as a session does.
    """
    if is_research(trace):
        raise UsageError("A research run is not replayed.", "Ask it again with crag research.")
    from rag.session import open_session

    with open_session(settings.model_copy(update={"thread": None}), notify) as session:
        asked = trace["answer"]["question"]
        told = (each for each in trace["events"] if each["event"] == "contextualized")
        history = next((each["history"] for each in told), [])
        events = list(session.stream(asked, history=history))
    (answer,) = [event["answer"] for event in events if event["event"] == "answer"]
    return {**trace, "trace_id": answer["trace_id"], "answer": answer, "events": events}


class Difference(TypedDict):
    """`a` and `b` are what each run had, in words; None where it had nothing."""

    what: str
    a: str | None
    b: str | None


def diff_traces(one: Trace, other: Trace) -> list[Difference]:
    """Every difference that is not time: set-up, path, answer, cost, loops, grades.

    Raises:
        UsageError: one is of a research run.
    """
    if is_research(one) or is_research(other):
        raise UsageError("Only the traces of questions can be compared, not of research runs.")
    a, b = _facts(one), _facts(other)
    return [
        {"what": name, "a": a.get(name), "b": b.get(name)}
        for name in {**a, **b}
        if a.get(name) != b.get(name)
    ]


def path_taken(trace: Trace) -> list[str]:
    """The nodes in the order they ran."""
    return [event["node"] for event in trace["events"] if event["event"] == "node_started"]


def _facts(trace: Trace) -> dict[str, str]:
    """What a run was, found and said, in words and by name."""
    answer, event = cast("dict[str, Any]", trace["answer"]), start_event(trace)
    told = ("question", "standalone_question", "status", "answer", "generation_retries")
    facts = {
        **{name: str(event.get(name)) for name in _SAME},
        **{name: str(answer[name]) for name in told},
        **{name: str(answer["usage"][name]) for name in ("llm_calls", "input_tokens")},
        "path": " → ".join(path_taken(trace)),
        "citations": "; ".join(
            f"[{c['marker']}] {c['source']}:{c['start_char']}-{c['end_char']} {c['support']}"
            for c in answer["citations"]
        ),
        "claims": "; ".join(f"{claim['verdict']}: {claim['text']}" for claim in answer["claims"]),
    }
    for loop in answer["loops"]:
        step = f"loop {loop['loop']}"
        facts |= {f"{step} query": loop["query"], f"{step} decision": loop["decision"]}
        for rank, chunk in enumerate(loop["chunks"], 1):
            sure = "" if chunk["confidence"] is None else f" {chunk['confidence']:.2f}"
            grade = ("" if chunk["relevant"] else "not ") + f"relevant{sure}"
            facts[f"{step} {chunk['source']} {chunk['chunk_id'][:6]}"] = f"#{rank}, {grade}"
    return facts
