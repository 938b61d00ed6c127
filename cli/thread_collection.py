"""A thread goes on with the collection that it asked last, unless another one is named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cli.terminal import Terminal

if TYPE_CHECKING:
    from state.settings import Settings


def on_thread(
    settings: Settings, named: str | None, terminal: Terminal, *, continue_: bool = False
) -> Settings:
    """The settings with the thread to go on with and its collection; a change is told.

    `named` is the collection's option: with it, or the variable, the collection stays.

    Raises:
        UsageError: there is no thread to continue.
    """
    if settings.thread is None and not continue_:
        return settings
    from rag.memory import ThreadMemory

    with ThreadMemory(settings) as memory:
        named_thread = None if continue_ else settings.thread
        thread = named_thread or memory.newest_thread()
        before = memory.collection(thread)
    settings = settings.model_copy(update={"thread": thread})
    if before is None or before == settings.collection:
        return settings
    if named or os.environ.get("CRAG_COLLECTION"):
        terminal.notice(f"Thread {thread} asked {before}; it goes on with {settings.collection}.")
        return settings
    terminal.notice(f"Asking {before}, as thread {thread} did.")
    return settings.model_copy(update={"collection": before})
