"""A thread as one document: Markdown to read, or JSON to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rag.citations.check import dropped_lines
from rag.text.prose import one_line
from state.answer import shown_citations
from state.turns import Turn
from state.wording import written_place


def thread_json(thread: str, turns: Iterable[Turn]) -> dict[str, Any]:
    """The `crag.thread/1` object: all turns of a thread with their whole answers."""
    return {"schema": "crag.thread/1", "thread": thread, "turns": [_turn(turn) for turn in turns]}


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn.number,
        "created_at": turn.created_at.isoformat(timespec="seconds"),
        "milestone": turn.milestone,
        "collection": turn.collection,
        "answer": turn.answer,
    }


def thread_markdown(thread: str, turns: Iterable[Turn]) -> Iterator[str]:
    """The lines of a thread: for each turn a heading, the answer, its sources with quotes."""
    yield f"# {one_line(thread)}"
    for turn in turns:
        yield from ("", f"## {turn.number}. {one_line(turn.answer['question'])}", "")
        yield from _byline(turn)
        yield ""
        yield from turn.answer["answer"].splitlines()
        for line in dropped_lines(turn.answer["dropped"], turn.answer["claims"]):
            yield from ("", f"*{one_line(line)}*")
        yield from _sources(turn)


def _byline(turn: Turn) -> Iterator[str]:
    answer = turn.answer
    engine = answer["engine"]["model"] or answer["engine"]["name"]
    told = [turn.created_at.isoformat(sep=" ", timespec="seconds"), answer["status"], engine]
    told += [turn.collection] if turn.collection else []
    told += ["pinned"] if turn.milestone else []
    yield f"*{one_line(', '.join(told))}*"
    if answer["standalone_question"] != answer["question"]:
        yield from ("", f"*Understood as: {one_line(answer['standalone_question'])}*")


def _sources(turn: Turn) -> Iterator[str]:
    for citation in shown_citations(turn.answer):
        yield ""
        where = one_line(written_place(citation))
        yield from (f"[{citation['marker']}] {where}", "")
        yield from (f"> {line}" for line in citation["quote"].splitlines())
