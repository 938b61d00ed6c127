"""`crag chat`: an interactive session on a thread, or questions from standard input."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cli import options
from cli.app import new_app
from cli.exits import Exit, exit_code
from cli.notices import tell_staleness
from cli.question_input import checked_question
from cli.render.links import citation_links
from cli.terminal import Terminal
from state.counting import many

if TYPE_CHECKING:
    from cli.conversation.lines import Lines
    from cli.conversation.talk import Conversation

app = new_app()


@app.command()
def chat(
    collection: options.Collections = None,
    files: options.Files = None,
    thread: options.Thread = None,
    continue_: options.Continue = False,
    engine: options.Engine = None,
    k: options.K = None,
    max_loops: options.MaxLoops = None,
    grader: options.Grader = None,
    verify: options.Verify = None,
    web: options.Web = None,
    max_tokens: options.MaxTokens = None,
    max_cost: options.MaxCost = None,
    timeout: options.Timeout = None,
    trace: options.Trace = False,
    json_: options.Json = False,
    no_stream: options.NoStream = False,
    store: options.Store = None,
    threads: options.Threads = None,
    home: options.Home = None,
    config: options.Config = None,
    quiet: options.Quiet = False,
) -> int:
    """Talk with your documents; every turn is kept in its thread."""
    terminal = Terminal(quiet=quiet)
    flags = {
        "collection": collection,
        "files": files,
        "thread": thread,
        "engine": engine,
        "k": k,
        "max_loops": max_loops,
        "grader": grader,
        "verify": verify,
        "web": web,
        "max_tokens": max_tokens,
        "max_cost": max_cost,
        "timeout": timeout,
        "store": store,
        "threads": threads,
        "home": home,
    }
    from cli.conversation.lines import PipedLines, TypedLines
    from cli.conversation.talk import Conversation

    with Conversation(flags, config, terminal, continue_=continue_) as talk:
        talk.live_trace = trace
        typed = sys.stdin.isatty()
        tell_staleness(terminal, talk.settings)
        _greet(talk, typed=typed)
        lines: Lines = TypedLines(talk) if typed else PipedLines()
        streaming = terminal.out_is_tty and not (no_stream or json_)
        return _converse(talk, lines, typed=typed, streaming=streaming, json=json_)


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
        else:
            return
    if not line:
        return
    question = checked_question(line)
    before = talk.turns
    view = ChatView(talk.terminal, trace=talk.live_trace, stream=streaming, json=json)
    try:
        with view:
            answer = talk.ask(question, view.show, tokens=streaming)
    except KeyboardInterrupt:
        if not typed:
            raise
        kept = talk.turns
        what = f"It was answered already: turn {kept}." if kept > before else "Nothing was kept."
        talk.terminal.notice(f"Cancelled. {what}")
        return
    view.finish(answer, citation_links(talk.settings.links, answer, talk.session.reader))
