"""The differences between two runs of a question, down to grades and ranks."""

from __future__ import annotations

from typing import TypedDict

from rag.tracing.replay import is_research, start_event
from state.errors import UsageError
from state.trace_store import Trace


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
    answer, event = trace["answer"], start_event(trace)
    facts = {
        "question": answer["question"],
        "stand-alone question": answer["standalone_question"],
        "collection": event["collection"],
        "engine": " ".join(str(each) for each in answer["engine"].values() if each),
        **{name: str(event.get(name)) for name in ("files", "k", "max_loops", "grader")},
        "path": " → ".join(path_taken(trace)),
        "generation retries": str(answer["generation_retries"]),
        "status": answer["status"],
        "answer": answer["answer"],
        "citations": "; ".join(
            f"[{c['marker']}] {c['source']}:{c['start_char']}-{c['end_char']} {c['support']}"
            for c in answer["citations"]
        ),
        "claims": "; ".join(f"{claim['verdict']}: {claim['text']}" for claim in answer["claims"]),
        "model calls": str(answer["usage"]["llm_calls"]),
        "tokens in": str(answer["usage"]["input_tokens"]),
    }
    for loop in answer["loops"]:
        step = f"loop {loop['loop']}"
        facts |= {f"{step} query": loop["query"], f"{step} decision": loop["decision"]}
        for rank, chunk in enumerate(loop["chunks"], 1):
            sure = "" if chunk["confidence"] is None else f" {chunk['confidence']:.2f}"
            grade = ("" if chunk["relevant"] else "not ") + f"relevant{sure}"
            facts[f"{step} {chunk['source']} {chunk['chunk_id'][:6]}"] = f"#{rank}, {grade}"
    return facts
