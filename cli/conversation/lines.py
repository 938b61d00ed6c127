"""Where a conversation's lines come from: a person at a terminal, or standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from cli.asking import MAX_CHARACTERS

if TYPE_CHECKING:
    from cli.conversation.talk import Conversation

PROMPT = "crag> "
HISTORY_FILE = "chat_history"


def read_piped() -> str | None:
    """One line of standard input a question."""
    line = sys.stdin.readline(MAX_CHARACTERS * 4)
    rest = line
    while rest and not rest.endswith("\n"):  # a line too long, whose end is no question
        rest = sys.stdin.readline(MAX_CHARACTERS * 4)
    return line or None


def typed_at_prompt(talk: Conversation) -> Callable[[], str | None]:
    """Reads lines edited at a terminal, with history; a question may take several. A dumb terminal
    can only be written to in order: there a line is read as the system edits it.
    Gives None at the end; raises KeyboardInterrupt at Ctrl-C.
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
        prompt_continuation="  ... ",
        enable_open_in_editor=False,
        output=create_output(stream),
    )

    def read() -> str | None:
        try:
            return session.prompt()
        except EOFError:
            return None

    return read
