"""Turns of a thread as a person reads them again."""

from __future__ import annotations

from cli.render.answer_text import print_sources
from cli.render.text import dollars, shorten
from cli.terminal import Terminal
from rag.cited_files import file_states
from state.turns import ThreadSummary, Turn
from state.wording import many


def thread_line(thread: ThreadSummary, width: int) -> str:
    """A thread in `threads list`: when last used, how many turns, how it began."""
    when = f"{thread.updated_at.astimezone():%Y-%m-%d %H:%M}"
    first = shorten(thread.first_question, 80)
    return f"{thread.name:<{width}}  {when}  {many(thread.turns, 'turn'):>10}  {first}"


def print_turn(terminal: Terminal, turn: Turn) -> None:
    """One turn: question, stand-alone question, answer, sources, what it took."""
    answer = turn.answer
    pin = "  (pinned)" if turn.milestone else ""
    terminal.wrapped(f"{turn.number}. {' '.join(answer['question'].split())}{pin}")
    if answer["standalone_question"] != answer["question"]:
        terminal.wrapped(f"   understood as: {' '.join(answer['standalone_question'].split())}")
    terminal.out("")
    terminal.wrapped(answer["answer"])
    if answer["citations"]:
        terminal.out("")
    notes = {
        source: f"  ! the file has {state} since"
        for source, state in file_states(turn.files).items()
        if state != "same"
    }
    print_sources(terminal, answer["citations"], notes)
    terminal.out("")
    terminal.wrapped(f"   {took(turn)}")


def took(turn: Turn) -> str:
    """When, by what, how long and at what cost a turn was answered."""
    answer = turn.answer
    usage = answer["usage"]
    parts = [
        f"{turn.created_at.astimezone():%Y-%m-%d %H:%M}",
        answer["status"],
        answer["engine"]["model"] or answer["engine"]["name"],
        *([] if turn.collection is None else [turn.collection]),
        many(answer["loop_count"], "loop"),
        f"{answer['timings_ms'].get('total', 0.0) / 1000:.1f} s",
    ]
    if usage["llm_calls"]:
        parts.append(f"{usage['input_tokens']:,} + {usage['output_tokens']:,} tokens")
        if usage["cost_usd"] is not None:
            parts.append(dollars(usage["cost_usd"]))
    return ", ".join(parts)
