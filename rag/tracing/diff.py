"""What two runs did differently, down to grades and ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypedDict, cast

from rag.tracing.stored_trace import began, loops, path_taken
from state.answer import Answer
from state.errors import UsageError
from state.trace_store import Trace
from state.wording import many, written_place

if TYPE_CHECKING:
    from state.research_events import ResearchEvent


class Difference(TypedDict):
    """`a` and `b` are what each run had, in words; None where it had nothing."""

    what: str
    a: str | None
    b: str | None


Words = Mapping[str, str]
"""What there is to say of a run, or of a loop or round of it, by what it is about."""


def diff_traces(one: Trace, other: Trace) -> list[Difference]:
    """Every difference that is not time: set-up, path, loops or rounds, grades, answer, cost.

    Raises:
        UsageError: one is of a question, the other of a research run.
    """
    if one["kind"] != other["kind"]:
        raise UsageError("A question's trace and a research run's cannot be compared.")
    steps = _rounds if one["kind"] == "research" else _loops
    first, second = steps(one), steps(other)
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
    """Of a loop or round that only one run had, what it began with; of a chunk that only one
    found, its rank.
    """
    names = [*{**other, **one}]
    for name in names if one and other else names[:1]:
        a, b = one.get(name), other.get(name)
        if a != b and not (name.startswith("grade of") and None in (a, b)):
            yield {"what": f"{step} {name}".strip(), "a": a, "b": b}


def _run(trace: Trace) -> Words:
    """Of a research run the question is the stand-alone one, whatever was typed."""
    answer, event = trace["answer"], began(trace)
    alone = answer["standalone_question"]
    research = trace["kind"] == "research"
    asked = {"question": answer["question"], "stand-alone question": alone}
    return {
        **({"question": alone} if research else asked),
        "collection": event["collection"],
        "engine": " ".join(str(each) for each in answer["engine"].values() if each),
        **{name: str(event.get(name)) for name in ("files", "k", "max_loops", "max_rounds")},
        "path": " → ".join(path_taken(trace)),
        "generation retries": str(answer["generation_retries"]),
    }


def _result(answer: Answer) -> Words:
    """The answer of a research run is a report, whose title is what was typed."""
    text, usage = answer["answer"], answer["usage"]
    titled = text.startswith(f"# {answer['question'].strip()}")
    return {
        "status": answer["status"],
        "answer": text.partition("\n")[2] if titled else text,
        "citations": "; ".join(
            f"[{c['marker']}] {c['source']}:{c['start_char']}-{c['end_char']} {c['support']}"
            for c in answer["citations"]
        ),
        "claims": "; ".join(f"{claim['verdict']}: {claim['text']}" for claim in answer["claims"]),
        "model calls": str(usage["llm_calls"]),
        "tokens in": str(usage["input_tokens"]),
    }


def _rounds(trace: Trace) -> dict[str, Words]:
    """By number: a round that was interrupted is told of again when the run goes on."""
    found: dict[str, dict[str, str]] = {}
    places: dict[str, tuple[dict[str, str], str]] = {}
    for event in cast("list[ResearchEvent]", trace["events"]):
        if event["event"] == "planned":
            told = found.setdefault(f"round {event['round']}", {})
            for number, task in enumerate(event["subtasks"], 1):
                if task["id"] not in places:
                    told[f"subtask {number}"] = f"{task['role']}: {task['instruction']}"
                    places[task["id"]] = told, f"subtask {number}"
        elif event["event"] == "subtask_finished" and event["subtask"] in places:
            told, name = places[event["subtask"]]
            told[name] += f" ({event['status']}, {many(event['citations'], 'citation')})"
        elif event["event"] == "reflected":
            told = found.setdefault(f"round {event['round']}", {})
            told["decision"] = f"{event['decision']}: {event['reason']}"
    return dict(found)


def _loops(trace: Trace) -> dict[str, Words]:
    found: dict[str, Words] = {}
    for loop in loops(trace):
        chunks: defaultdict[str, list[str]] = defaultdict(list)
        for rank, item in enumerate(loop.chunks, 1):
            place = written_place(item)
            chunks[f"rank of {place}"].append(f"#{rank}")
            if grade := loop.grades.get(item["chunk_id"]):
                sure = "" if grade["confidence"] is None else f" {grade['confidence']:.2f}"
                chunks[f"grade of {place}"].append(f"{grade['verdict']}{sure} ({grade['grader']})")
        said = {what: ", ".join(each) for what, each in chunks.items()}
        found[f"loop {loop.number}"] = {"query": loop.query, **said, "decision": loop.decision}
    return found
