"""`crag ask`: one question, one cited answer."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import Annotated

import typer

from cli import options
from cli.app import new_app
from cli.exits import Exit
from cli.notices import report_staleness
from cli.question_input import read_question
from cli.render.answer_text import print_answer, report_notices
from cli.render.links import citation_links
from cli.render.live import LiveAnswer
from cli.thread_collection import on_thread
from state.errors import UsageError

app = new_app()


@app.command()
@options.taking(*options.ASKING)
def ask(
    given: options.Given,
    question: Annotated[
        str | None,
        typer.Argument(
            help="The question; '-' reads standard input. None, on a terminal: a chat.",
            metavar="[QUESTION]",
            show_default=False,
        ),
    ] = None,
    continue_: options.Continue = False,
    pin: options.Pin = False,
    trace: options.Trace = False,
    json_: options.Json = False,
    events: options.Events = False,
    no_stream: options.NoStream = False,
    ok_abstain: options.OkAbstain = False,
) -> int:
    """Answer one question from the collection, each sentence cited."""
    terminal = given.terminal
    if question is None:
        of_one_answer = json_ or events or pin or ok_abstain
        if not (sys.stdin.isatty() and terminal.out_is_tty) or of_one_answer:
            raise UsageError("There is no question.", "Type one, or pipe it in with '-'.")
        from cli.commands.chat import begin

        return begin(given, continue_=continue_, trace=trace, no_stream=no_stream)
    settings = given.settings()
    text = read_question(question)
    settings = on_thread(settings, given.flags["collection"], terminal, continue_=continue_)
    from rag.session import open_session

    with open_session(settings, terminal.notice) as session:
        report_staleness(terminal, settings)
        streaming = terminal.out_is_tty and not (no_stream or json_ or events)
        live = LiveAnswer(terminal, trace=trace, events=events, stream=streaming)
        tokens = streaming or events
        turn = session.stream(text, thread=settings.thread, pin=pin, tokens=tokens)
        with live, closing(turn) as run:
            for event in run:
                live.show(event)
        answer = live.answer
        report_notices(terminal, answer)
        if json_ or events:
            terminal.json(answer)
        else:
            links = citation_links(settings.links, answer, session.reader)
            print_answer(terminal, answer, links)
    abstained = answer["status"] == "abstained" and not ok_abstain
    return Exit.ABSTAINED if abstained else Exit.DONE
