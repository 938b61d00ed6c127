"""The differences between two runs of a question, down to grades and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from rag.tracing.replay import is_research, start_event
from state.answer import Answer
from state.errors import UsageError
from state.trace_store import Trace


class Difference(TypedDict):
    """`a` and `b` are what each run had, in words; None where it had nothing."""

    what: str
    a: str | None
    b: str | None


Words = Mapping[str, str]
"""The facts of a run, or of one of its loops, in words and by name."""


def diff_traces(one: Trace, other: Trace) -> list[Difference]:
    """Every difference that is not time: set-up, path, loops, grades, answer, cost.

    Raises:
        UsageError: one is of a research run.
    """
    if is_research(one) or is_research(other):
        raise UsageError("Only the traces of questions can be compared, not of research runs.")
    first, second = _loops(one["answer"]), _loops(other["answer"])
    return [
        *_differences("", _run(one), _run(other)),
        *(
            difference
            for name in max(first, second, key=len)
            for difference in _differences(name, first.get(name, {}), second.get(name, {}))
        ),
        *_differences("", _result(one["answer"]), _result(other["answer"])),
    ]


def _differences(step: str, one: Words, other: Words) -> Iterator[Difference]:
    """Of a loop that one run alone had, only the query is told; of a chunk, only the rank."""
    names = [*{**other, **one}]
    for name in names if one and other else names[:1]:
        a, b = one.get(name), other.get(name)
        if a != b and not (name.startswith("grade of") and None in (a, b)):
            yield {"what": f"{step} {name}".strip(), "a": a, "b": b}


def path_taken(trace: Trace) -> list[str]:
    """The nodes in the order they ran."""
    return [event["node"] for event in trace["events"] if event["event"] == "node_started"]


def _run(trace: Trace) -> Words:
    answer, event = trace["answer"], start_event(trace)
    return {
        "question": answer["question"],
        "stand-alone question": answer["standalone_question"],
        "collection": event["collection"],
        "engine": " ".join(str(each) for each in answer["engine"].values() if each),
        **{name: str(event.get(name)) for name in ("files", "k", "max_loops", "grader")},
        "path": " → ".join(path_taken(trace)),
        "generation retries": str(answer["generation_retries"]),
    }


def _result(answer: Answer) -> Words:
    usage = answer["usage"]
    return {
        "status": answer["status"],
        "answer": answer["answer"],
        "citations": "; ".join(
            f"[{c['marker']}] {c['source']}:{c['start_char']}-{c['end_char']} {c['support']}"
            for c in answer["citations"]
        ),
        "claims": "; ".join(f"{claim['verdict']}: {claim['text']}" for claim in answer["claims"]),
        "model calls": str(usage["llm_calls"]),
        "tokens in": str(usage["input_tokens"]),
    }


def _loops(answer: Answer) -> dict[str, Words]:
    found: dict[str, Words] = {}
    for loop in answer["loops"]:
        told = {"query": loop["query"]}
        for rank, chunk in enumerate(loop["chunks"], 1):
            name = f"{chunk['source']} {chunk['chunk_id'][:6]}"
            sure = "" if chunk["confidence"] is None else f" {chunk['confidence']:.2f}"
            told[f"rank of {name}"] = f"#{rank}"
            told[f"grade of {name}"] = ("" if chunk["relevant"] else "not ") + f"relevant{sure}"
        found[f"loop {loop['loop']}"] = {**told, "decision": loop["decision"]}
    return found
