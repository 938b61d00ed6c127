"""`crag chat`: an interactive session on a thread, or questions from standard input."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cli import options
from cli.app import new_app
from cli.exits import Exit, exit_code
from cli.notices import report_staleness
from cli.question_input import checked_question
from cli.render.links import citation_links
from state.counting import many

if TYPE_CHECKING:
    from cli.conversation.lines import Lines
    from cli.conversation.talk import Conversation

app = new_app()


@app.command()
@options.taking(*options.ASKING)
def chat(
    given: options.Given,
    continue_: options.Continue = False,
    trace: options.Trace = False,
    json_: options.Json = False,
    no_stream: options.NoStream = False,
) -> int:
    """Talk with your documents; every turn is kept in its thread."""
    return begin(given, continue_=continue_, trace=trace, json=json_, no_stream=no_stream)


def begin(
    given: options.Given,
    *,
    continue_: bool,
    trace: bool,
    json: bool = False,
    no_stream: bool,
) -> Exit:
    """A chat, from its greeting to its end."""
    terminal = given.terminal
    from cli.conversation.lines import PipedLines, TypedLines
    from cli.conversation.talk import Conversation

    with Conversation(given.flags, given.config, terminal, continue_=continue_) as talk:
        talk.live_trace = trace
        typed = sys.stdin.isatty()
        report_staleness(terminal, talk.settings)
        _greet(talk, typed=typed)
        lines: Lines = TypedLines(talk) if typed else PipedLines()
        streaming = terminal.out_is_tty and not (no_stream or json)
        return _converse(talk, lines, typed=typed, streaming=streaming, json=json)


def _greet(talk: Conversation, *, typed: bool) -> None:
    reader = talk.session.reader
    where = (
        f"On thread {talk.thread}, {reader.name} with {many(reader.document_count, 'document')}."
    )
    talk.terminal.notice(f"{where} /help lists the commands; Ctrl-D leaves." if typed else where)


def _converse(
    talk: Conversation, lines: Lines, *, typed: bool, streaming: bool, json: bool
) -> Exit:
    """Until the lines end or the person leaves. From a pipe, a question that fails does not
    stop the others: its code is the session's. A person has seen the error: theirs is 0.
    """
    from cli.conversation.slash_commands import LeaveError
    from state.errors import CragError

    code = Exit.DONE
    while True:
        try:
            line = lines.read()
        except KeyboardInterrupt:
            if not typed:
                raise
            talk.terminal.notice("Ctrl-D leaves.")
            continue
        if line is None:
            return code
        try:
            _take(talk, line.strip(), streaming=streaming, json=json, typed=typed)
        except LeaveError:
            return code
        except CragError as error:
            talk.terminal.warn(f"crag: {error}")
            if not typed and code == Exit.DONE:
                code = exit_code(error)


def _take(talk: Conversation, line: str, *, streaming: bool, json: bool, typed: bool) -> None:
    """Do what one line says."""
    from cli.conversation.slash_commands import RetryError, is_command, run_command
    from cli.conversation.view import ChatView

    if is_command(line):
        try:
            run_command(line, talk)
        except RetryError as again:
            line = str(again)
            talk.asked_back = None
        else:
            return
    if not line and talk.asked_back is None:
        return
    question = checked_question(line) if line else ""
    before = talk.turns
    view = ChatView(talk.terminal, trace=talk.live_trace, stream=streaming, json=json)
    try:
        with view:
            answer = talk.ask(question, view.show, tokens=streaming, can_reply=typed)
    except KeyboardInterrupt:
        if not typed:
            raise
        kept = talk.turns
        what = f"It was answered already: turn {kept}." if kept > before else "Nothing was kept."
        talk.terminal.notice(f"Cancelled. {what}")
        return
    if answer is None:
        return
    view.finish(answer, citation_links(talk.settings.links, answer, talk.session.reader))
