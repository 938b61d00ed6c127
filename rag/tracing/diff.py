"""What two runs did differently, down to grades and ranks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TypedDict

from rag.tracing.stored_trace import (
    Round,
    TracedLoop,
    TracedSubtask,
    began,
    loops,
    path_taken,
    rounds,
)
from state.answer import Answer
from state.counting import many
from state.errors import UsageError
from state.traces import Trace


class Difference(TypedDict):
    """`a` and `b` are what each run had, in words; None where it had nothing."""

    what: str
    a: str | None
    b: str | None


Pairs = Iterator[tuple[str, str | None, str | None]]


def diff_traces(one: Trace, other: Trace) -> list[Difference]:
    """Every difference that is not time: set-up, path, loops or rounds, grades, answer, cost.

    Raises:
        UsageError: one is of a question, the other of a research run.
    """
    if one["kind"] != other["kind"]:
        raise UsageError("A question's trace and a research run's cannot be compared.")
    found = [*_run_pairs(one, other), *_result_pairs(one["answer"], other["answer"])]
    return [{"what": what, "a": a, "b": b} for what, a, b in found if a != b]


def _run_pairs(one: Trace, other: Trace) -> Pairs:
    """Of a research run the question is the stand-alone one, whatever was typed."""
    a, b = one["answer"], other["answer"]
    research = one["kind"] == "research"
    first, second = began(one), began(other)
    if not research:
        yield "question", a["question"], b["question"]
    alone = "question" if research else "stand-alone question"
    yield alone, a["standalone_question"], b["standalone_question"]
    yield "collection", first["collection"], second["collection"]
    yield "engine", _engine(a), _engine(b)
    for name in ("files", "k", "max_loops", "max_rounds"):
        yield name, str(first.get(name)), str(second.get(name))
    yield "path", " → ".join(path_taken(one)), " → ".join(path_taken(other))
    if research:
        for before, now in zip_longest(rounds(one), rounds(other)):
            yield from _round_pairs(before, now)
    else:
        for left, right in zip_longest(loops(one), loops(other)):
            yield from _loop_pairs(left, right)
    yield "generation retries", str(a["generation_retries"]), str(b["generation_retries"])


def _result_pairs(a: Answer, b: Answer) -> Pairs:
    yield "status", a["status"], b["status"]
    yield "answer", _body(a), _body(b)
    yield "citations", _citations(a), _citations(b)
    yield "claims", _claims(a), _claims(b)
    yield "model calls", str(a["usage"]["llm_calls"]), str(b["usage"]["llm_calls"])
    yield "tokens in", str(a["usage"]["input_tokens"]), str(b["usage"]["input_tokens"])


def _body(answer: Answer) -> str:
    """A report without its title, which is what was typed."""
    text = answer["answer"]
    return text.partition("\n")[2] if text.startswith(f"# {answer['question'].strip()}") else text


def _claims(answer: Answer) -> str:
    return "; ".join(f"{claim['verdict']}: {claim['text']}" for claim in answer["claims"])


def _round_pairs(one: Round | None, other: Round | None) -> Pairs:
    present = one or other
    assert present is not None
    name = f"round {present.number}"
    tasks = zip_longest(one.subtasks if one else [], other.subtasks if other else [])
    for number, (left, right) in enumerate(tasks, 1):
        yield f"{name} subtask {number}", _subtask(left), _subtask(right)
    yield f"{name} decision", _decision(one), _decision(other)


def _subtask(task: TracedSubtask | None) -> str | None:
    if task is None:
        return None
    cited = many(task.citations, "citation")
    return f"{task.role}: {task.instruction} ({task.status}, {cited})"


def _decision(shown: Round | None) -> str | None:
    return None if shown is None else f"{shown.decision}: {shown.reason}"


def _loop_pairs(one: TracedLoop | None, other: TracedLoop | None) -> Pairs:
    present = one or other
    assert present is not None
    name = f"loop {present.number}"
    yield f"{name} query", one.query if one else None, other.query if other else None
    if one is None or other is None:
        return
    left, right = _ranks(one), _ranks(other)
    for chunk_id, place in {**_places(other), **_places(one)}.items():
        yield f"{name} rank of {place}", left.get(chunk_id), right.get(chunk_id)
        if chunk_id in left and chunk_id in right:
            yield f"{name} grade of {place}", _grade(one, chunk_id), _grade(other, chunk_id)
    yield f"{name} decision", one.decision, other.decision


def _places(loop: TracedLoop) -> dict[str, str]:
    return {
        item["chunk_id"]: f"{item['source']}:{item['start_line']}-{item['end_line']}"
        for item in loop.chunks
    }


def _ranks(loop: TracedLoop) -> dict[str, str]:
    return {item["chunk_id"]: f"#{rank}" for rank, item in enumerate(loop.chunks, 1)}


def _grade(loop: TracedLoop, chunk_id: str) -> str | None:
    grade = loop.grades.get(chunk_id)
    if grade is None:
        return None
    sure = "" if grade["confidence"] is None else f" {grade['confidence']:.2f}"
    return f"{grade['verdict']}{sure} ({grade['grader']})"


def _engine(answer: Answer) -> str:
    engine = answer["engine"]
    return " ".join(filter(None, (engine["name"], engine["model"], engine["embedder"])))


def _citations(answer: Answer) -> str:
    return "; ".join(
        f"[{c['marker']}] {c['source']}:{c['start_char']}-{c['end_char']} {c['support']}"
        for c in answer["citations"]
    )
