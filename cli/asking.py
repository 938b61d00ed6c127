"""What comes before a question is asked: its text, its thread's collection, stale files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cli.terminal import Terminal
from state.errors import UsageError
from state.wording import MOST_CHARACTERS, checked_question

if TYPE_CHECKING:
    from pathlib import Path

    from cli.options import Shared
    from state.answer import Answer
    from state.settings import Settings

MAX_FILES_CHECKED = 5_000
"""Files that a question checks for staleness, in some 20 ms. `crag status` checks all."""


def read_question(argument: str) -> str:
    """The argument, or standard input if it is "-"; raises what `checked_question` raises."""
    return checked_question(sys.stdin.read(MOST_CHARACTERS * 4) if argument == "-" else argument)


def thread_settings(given: Shared, *, continue_: bool = False) -> Settings:
    """The settings with the thread to go on with, and with the collection that it asked last unless
    an option or a variable names another; a change is reported.

    Raises:
        UsageError: there is no thread to continue, or two are meant.
    """
    if continue_ and given.flags["thread"]:
        raise UsageError("--thread names a thread, --continue the newest.", "Give one of them.")
    settings, terminal = given.settings(), given.terminal
    if settings.thread is None and not continue_:
        return settings
    from rag.memory import ThreadMemory
    from state.settings import variable_of

    with ThreadMemory(settings) as memory:
        thread = (None if continue_ else settings.thread) or memory.newest_thread()
        before = memory.collection(thread)
    settings = settings.model_copy(update={"thread": thread})
    named = given.flags["collection"] or variable_of("collection")
    if named or before in (None, settings.collection):
        return settings
    terminal.notice(f"Asking {before}, as thread {thread} did.")
    return settings.model_copy(update={"collection": before})


def report_staleness(terminal: Terminal, settings: Settings) -> None:
    """One line on stderr if indexed files have changed or gone since they were read."""
    if terminal.quiet:
        return
    from rag.ingest.staleness import staleness
    from rag.opening import store_of

    found = staleness(store_of(settings), settings.collection, most=MAX_FILES_CHECKED)
    if line := found.line(settings.collection):
        terminal.notice(line)


def hint_at_models(terminal: Terminal, settings: Settings, answer: Answer) -> None:
    """On a terminal, a line that there are models, once a home, behind an answer without one."""
    alone = answer["engine"]["model"] is None and answer["citations"]
    if alone and terminal.err_is_tty and not terminal.quiet and first_time(settings.home, "told"):
        terminal.notice("A model would answer in its own words: `crag model` shows what runs here.")


def first_time(home: Path, what: str) -> bool:
    """Whether `what` is noted in the home only now; False where nothing can be noted."""
    noted = home / "models" / what
    try:
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.touch(exist_ok=False)
    except OSError:
        return False
    return True
