"""Where a conversation's lines come from: a person at a terminal, or standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cli.asking import MAX_CHARACTERS
from cli.terminal import clean
from state.errors import StorageError

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    from cli.conversation.talk import Conversation

PROMPT = "crag> "
HISTORY_FILE = "chat_history"


ReadLine = Callable[[], str | None]
"""Gives what is asked or ordered next, None at the end; raises KeyboardInterrupt at Ctrl-C."""


def read_piped() -> str | None:
    """One line of standard input a question."""
    line = sys.stdin.readline(MAX_CHARACTERS * 4)
    rest = line
    while rest and not rest.endswith("\n"):  # a line too long, whose end is no question
        rest = sys.stdin.readline(MAX_CHARACTERS * 4)
    return line or None


def typed_at_prompt(talk: Conversation) -> ReadLine:
    """Lines edited at a terminal, with history, completion and several lines a question."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.output import create_output

    session: PromptSession[str] = PromptSession(
        PROMPT,
        history=FileHistory(str(_private(talk.settings.home / HISTORY_FILE))),
        completer=_completer(talk),
        complete_while_typing=True,
        key_bindings=_keys(),
        multiline=False,
        prompt_continuation="  ... ",
        enable_open_in_editor=False,
        output=create_output(sys.stdout if sys.stdout.isatty() else sys.stderr),
    )

    def read() -> str | None:
        try:
            return session.prompt()
        except EOFError:
            return None

    return read


def _completer(talk: Conversation) -> Completer:
    """Commands, as they are typed, and the settings and threads that stand behind them."""
    from prompt_toolkit.completion import WordCompleter

    from cli.conversation.slash_commands import CHANGEABLE, COMMANDS

    shown = {f"/{name}": each.help for name, each in COMMANDS.items()}
    threads = [f"/thread {clean(each.name)}" for each in talk.session.memory.store.threads()]
    settings = [f"/set {key}" for key in CHANGEABLE]
    lines = [*shown, "/trace on", "/trace off", *settings, *threads]
    return WordCompleter(lines, meta_dict=shown, sentence=True)


def _keys() -> KeyBindings:
    from prompt_toolkit import search
    from prompt_toolkit.filters import is_searching
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):  # for terminals without Alt
            buffer.delete_before_cursor(1)
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("enter", filter=is_searching)
    def _(event: KeyPressEvent) -> None:  # Ctrl-R: what was found is asked, as in a shell
        search.accept_search()
        event.app.current_buffer.validate_and_handle()

    return keys


def _private(file: Path) -> Path:
    """The file, made readable by its owner alone where it is not there yet."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror or error}.") from None
    return file
