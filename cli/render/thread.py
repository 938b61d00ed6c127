"""Turns of a thread as a person reads them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cli.render.answer import source_line

if TYPE_CHECKING:
    from rag.cited_files import FileState
    from state.threads import ThreadSummary, Turn


def thread_line(thread: ThreadSummary, width: int) -> str:
    """A thread in `threads list`: when last used, how many turns, how it began."""
    when = f"{thread.updated_at.astimezone():%Y-%m-%d %H:%M}"
    first = " ".join(thread.first_question.split())
    return f"{thread.name:<{width}}  {when}  {thread.turns:>5} turns  {first[:80]}"


def turn_lines(turn: Turn, files: Mapping[str, FileState]) -> Iterator[str]:
    """One turn: question, stand-alone question, answer, sources, what it took."""
    answer = turn.answer
    pin = "  (pinned)" if turn.milestone else ""
    yield f"{turn.number}. {' '.join(answer['question'].split())}{pin}"
    if answer["standalone_question"] != answer["question"]:
        yield f"   understood as: {' '.join(answer['standalone_question'].split())}"
    yield ""
    yield from answer["answer"].splitlines()
    if answer["citations"]:
        yield ""
    for citation in answer["citations"]:
        state = files.get(citation["source"], "same")
        note = "" if state == "same" else f"  ! the file has {_SINCE[state]} since"
        yield source_line(citation) + note
    yield ""
    yield f"   {took(turn)}"


_SINCE = {"changed": "changed", "gone": "gone"}


def took(turn: Turn) -> str:
    """When, by what, how long and at what cost a turn was answered."""
    answer = turn.answer
    usage = answer["usage"]
    parts = [
        f"{turn.created_at.astimezone():%Y-%m-%d %H:%M}",
        answer["status"],
        answer["engine"]["model"] or answer["engine"]["name"],
        f"{answer['loop_count']} loops",
        f"{answer['timings_ms'].get('total', 0.0) / 1000:.1f} s",
    ]
    if usage["llm_calls"]:
        parts.append(f"{usage['input_tokens']:,} + {usage['output_tokens']:,} tokens")
        if usage["cost_usd"] is not None:
            parts.append(f"${usage['cost_usd']:.4f}")
    return ", ".join(parts)
