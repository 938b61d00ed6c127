"""A conversation: one thread, an open session, and what slash commands may change."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from cli.asking import hint_at_models, thread_settings
from cli.options import Shared
from cli.render.answer_text import show_answer
from cli.render.live import LiveAnswer
from state.answer import Answer
from state.closing import Closing
from state.wording import many

if TYPE_CHECKING:
    from rag.session import Session
    from state.settings import Settings


class Conversation(Closing):
    """`given` are the options of the command line, to which `/set` adds. On a terminal an answer
    grows as it is written, unless `no_stream`; with `json` each answer is an object on one line.
    """

    def __init__(self, given: Shared, *, continue_: bool, no_stream: bool, json: bool) -> None:
        self.terminal = given.terminal
        self.live_trace = False
        self.last: Answer | None = None
        self._given = given
        self._stream = self.terminal.out_is_tty and not (no_stream or json)
        self._json = json
        self.settings: Settings
        self.session: Session
        settings = thread_settings(given, continue_=continue_)
        self.thread = settings.thread or new_thread_name()
        self.change(collection=settings.collection)

    @property
    def place(self) -> str:
        """The thread, whether there is one yet, and what it asks."""
        reader, turns = self.session.reader, self.session.memory.store.last_turn(self.thread)
        told = f"{self.thread}: {many(turns, 'turn')}" if turns else f"New thread {self.thread}"
        return f"{told}, asking {reader.name} with {many(reader.document_count, 'document')}."

    def change(self, **flags: object) -> None:
        """Go on under changed settings; if they or the collection are unusable, nothing changes.

        Raises:
            CragError: as `open_session`.
        """
        from rag.session import open_session

        given = replace(self._given, flags={**self._given.flags, **flags})
        settings = given.settings()
        session = open_session(settings, self.terminal.notice)
        self._held.close()
        self._held.enter_context(session)
        self._given, self.settings, self.session = given, settings, session

    def switch_thread(self, thread: str) -> None:
        """Go on in another thread, new or old, with the collection that it asked.

        Raises:
            UsageError: it is no name for a thread.
            CragError: as `change`.
        """
        flags = {**self._given.flags, "thread": thread}
        replace(self._given, flags=flags).settings()  # the settings' own check
        before = self.session.memory.collection(thread)
        if before not in (None, self.session.reader.name):
            self.change(collection=before)
        self.thread, self.last = thread, None

    def ask(self, question: str) -> None:
        """Answer a question and show it; a turn that ends early leaves the thread as it was.

        Raises:
            CragError: as `Session.stream`.
        """
        terminal = self.terminal
        live = LiveAnswer(terminal, trace=self.live_trace, stream=self._stream)
        self.last = live.ask(self.session, question, thread=self.thread)
        show_answer(terminal, self.last, data=self._json, quotes=self.settings.quotes)
        hint_at_models(terminal, self.settings, self.last)
        if not (self._json or terminal.out_is_tty):
            terminal.out("")


def new_thread_name() -> str:
    """A name that sorts by time, such as chat-20261121-2245-3fa9."""
    return f"chat-{datetime.now():%Y%m%d-%H%M}-{secrets.token_hex(2)}"  # noqa: DTZ005 - shown
