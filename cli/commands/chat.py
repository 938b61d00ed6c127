"""`crag chat`: an interactive session on a thread, or questions from standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from cli import options
from cli.app import new_app
from cli.asking import report_staleness
from cli.conversation.slash_commands import run_line
from cli.conversation.talk import Conversation
from cli.errors import Exit, exit_code
from state.errors import CragError

app = new_app()


@options.command(app, *options.ASKING)
def chat(
    given: options.Shared,
    continue_: options.Continue = False,
    trace: options.Trace = False,
    json_: options.Json = False,
    no_stream: options.NoStream = False,
) -> int:
    """Talk with your documents; every turn is kept in its thread."""
    terminal, typed = given.terminal, sys.stdin.isatty()
    with Conversation(given, continue_=continue_, no_stream=no_stream, json=json_) as talk:
        talk.live_trace = trace
        report_staleness(terminal, talk.settings)
        hint = " /help lists the commands; Ctrl-D leaves." if typed else ""
        terminal.notice(talk.place + hint)
        # A dumb terminal can only be written to in order, so the system edits the line there.
        edited = typed and os.environ.get("TERM") not in ("dumb", "unknown")
        read = _prompt(talk) if edited else sys.stdin.readline
        code = Exit.DONE
        while True:
            try:
                line = read()
                if not line or not run_line(line.strip(), talk):
                    return code
            except KeyboardInterrupt:
                if not typed:
                    raise
                terminal.notice("Cancelled. Ctrl-D leaves.")
            except CragError as error:
                terminal.warn(f"crag: {error}")
                # From a pipe a question that fails does not stop the others: its code is the
                # session's. A person has seen the error.
                if not typed and code == Exit.DONE:
                    code = exit_code(error)


def _prompt(talk: Conversation) -> Callable[[], str]:
    """A reader of lines that are edited at a terminal, with history; a question may take several
    lines. Each ends in a line break, and nothing is the end; Ctrl-C raises KeyboardInterrupt.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import create_output

    keys, history = KeyBindings(), talk.settings.home / "chat_history"
    keys.add("escape", "enter")(lambda event: event.current_buffer.insert_text("\n"))
    history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    history.touch(mode=0o600)
    session: PromptSession[str] = PromptSession(
        "crag> ",
        history=FileHistory(str(history)),
        key_bindings=keys,
        prompt_continuation=lambda _width, _line, wraps: "" if wraps else "  ... ",
        enable_open_in_editor=False,
        output=create_output(sys.stdout if sys.stdout.isatty() else sys.stderr),
    )

    def read() -> str:
        try:
            return session.prompt() + "\n"
        except EOFError:
            return ""

    return read
