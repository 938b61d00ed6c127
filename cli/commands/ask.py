"""`crag ask`: one question, one cited answer."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import options
from cli.app import new_app
from cli.asking import hint_at_models, read_question, report_staleness, thread_settings
from cli.errors import Exit, reader_may_leave
from cli.render.answer_text import show_answer
from cli.render.live import LiveAnswer
from state.errors import UsageError

app = new_app()


@options.command(app, *options.ASKING)
def ask(
    given: options.Shared,
    question: Annotated[
        str, typer.Argument(help="The question; '-' reads standard input.", metavar="QUESTION")
    ],
    continue_: options.Continue = False,
    pin: options.Pin = False,
    trace: options.Trace = False,
    json_: options.Json = False,
    events: options.Events = False,
    no_stream: options.NoStream = False,
    ok_abstain: options.OkAbstain = False,
) -> int:
    """Answer one question from the collection, each sentence cited."""
    from rag.session import open_session

    terminal, text, data = given.terminal, read_question(question), json_ or events
    settings = thread_settings(given, continue_=continue_)
    if pin and settings.thread is None:
        raise UsageError("--pin keeps a turn of a thread.", "Name one with --thread.")
    with open_session(settings, terminal.notice) as session:
        report_staleness(terminal, settings)
        streaming = terminal.out_is_tty and not (no_stream or data)
        live = LiveAnswer(terminal, trace=trace, events=events, stream=streaming)
        answer = live.ask(session, text, thread=settings.thread, pin=pin)
    with reader_may_leave():
        show_answer(terminal, answer, data=data, quotes=settings.quotes)
        hint_at_models(terminal, settings, answer)
    abstained = answer["status"] == "abstained" and not ok_abstain
    return Exit.ABSTAINED if abstained else Exit.DONE
