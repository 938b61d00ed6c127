"""The sources of a conversation's lines: a person at a terminal, or standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.conversation.talk import Conversation

PROMPT = "crag> "
HISTORY_FILE = "chat_history"


def read_piped() -> str | None:
    """The next line of standard input, which is one question; None at the end."""
    return sys.stdin.readline() or None


def typed_at_prompt(talk: Conversation) -> Callable[[], str | None]:
    """A reader of lines that are edited at a terminal, with history; a question may take several
    lines. A dumb terminal can only be written to in order, so the system edits the line there. The
    reader returns None at the end and raises KeyboardInterrupt at Ctrl-C.
    """
    stream = sys.stdout if sys.stdout.isatty() else sys.stderr
    if os.environ.get("TERM") in ("dumb", "unknown"):

        def read_plainly() -> str | None:
            print(PROMPT, end="", file=stream, flush=True)
            return read_piped()

        return read_plainly

    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import create_output

    keys, history = KeyBindings(), talk.settings.home / HISTORY_FILE
    keys.add("escape", "enter")(lambda event: event.current_buffer.insert_text("\n"))
    history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    history.touch(mode=0o600)
    session: PromptSession[str] = PromptSession(
        PROMPT,
        history=FileHistory(str(history)),
        key_bindings=keys,
        prompt_continuation=lambda _width, _line, wraps: "" if wraps else "  ... ",
        enable_open_in_editor=False,
        output=create_output(stream),
    )

    def read() -> str | None:
        try:
            return session.prompt()
        except EOFError:
            return None

    return read
