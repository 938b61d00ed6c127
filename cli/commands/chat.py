"""`crag chat`: an interactive session on a thread, or questions from standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from cli import options
from cli.app import new_app
from cli.exits import Exit, Terminated, exit_code
from cli.notices import report_staleness
from cli.question_input import checked_question
from cli.render.links import citation_links
from state.counting import many
from state.errors import CragError

if TYPE_CHECKING:
    from cli.conversation.lines import ReadLine
    from cli.conversation.talk import Conversation
    from cli.conversation.view import ChatView

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
    given: options.Given, *, continue_: bool, trace: bool, json: bool = False, no_stream: bool
) -> Exit:
    """A chat, from its greeting to its end."""
    terminal = given.terminal
    typed = sys.stdin.isatty()
    streaming = terminal.out_is_tty and not (no_stream or json)
    from cli.conversation.lines import read_piped, typed_at_prompt
    from cli.conversation.talk import Conversation
    from cli.conversation.view import ChatView

    with Conversation(given.flags, given.config, terminal, continue_=continue_) as talk:
        talk.live_trace = trace
        report_staleness(terminal, talk.settings)
        reader = talk.session.reader
        documents = many(reader.document_count, "document")
        where = f"On thread {talk.thread}, {reader.name} with {documents}."
        hint = " /help lists the commands; Ctrl-D leaves." if typed else ""
        terminal.notice(where + hint)

        def new_view() -> ChatView:
            return ChatView(terminal, trace=talk.live_trace, stream=streaming, json=json)

        return _converse(
            talk, typed_at_prompt(talk) if typed else read_piped, new_view, typed=typed
        )


def _converse(
    talk: Conversation, read: ReadLine, new_view: Callable[[], ChatView], *, typed: bool
) -> Exit:
    """Until the lines end or the person leaves. From a pipe, a question that fails does not
    stop the others: its code is the session's. A person has seen the error: theirs is 0.
    """
    from cli.conversation.slash_commands import LeaveError

    code = Exit.DONE
    while True:
        try:
            line = read()
            if line is None:
                return code
        except KeyboardInterrupt as interrupt:
            if not typed or isinstance(interrupt, Terminated):
                raise
            line = None
        try:
            if line is not None:
                _take(talk, line.strip(), new_view, typed=typed)
            else:
                talk.terminal.notice("Ctrl-D leaves.")
        except LeaveError:
            return code
        except CragError as error:
            talk.terminal.warn(f"crag: {error}")
            if not typed and code == Exit.DONE:
                code = exit_code(error)


def _take(talk: Conversation, line: str, new_view: Callable[[], ChatView], *, typed: bool) -> None:
    """Do what one line says."""
    from cli.conversation.slash_commands import is_command, run_command

    if is_command(line):
        line = run_command(line, talk) or ""
        if not line:
            return
    if not line:
        return
    question = checked_question(line)
    before = talk.turns
    try:
        with new_view() as view:
            answer = talk.ask(question, view.show, tokens=view.streaming)
    except KeyboardInterrupt as interrupt:
        if not typed or isinstance(interrupt, Terminated):
            raise
        kept = talk.turns
        what = f"It was answered already: turn {kept}." if kept > before else "Nothing was kept."
        talk.terminal.notice(f"Cancelled. {what}")
        return
    view.finish(answer, citation_links(talk.settings.links, answer, talk.session.reader))
