"""A conversation: one thread, an open session, and what its commands may change."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cli.options import read_settings
from cli.terminal import Terminal
from cli.thread_collection import on_thread
from state.answer import Answer
from state.events import Event
from state.usage import NO_USAGE, add_usages

if TYPE_CHECKING:
    from rag.session import Session
    from state.settings import Settings

Show = Callable[["Event"], None]


class Conversation:
    """`flags` are the settings given on the command line; `/set` adds to them."""

    def __init__(
        self,
        flags: Mapping[str, Any],
        config: Path | None,
        terminal: Terminal,
        *,
        continue_: bool = False,
    ) -> None:
        self.terminal = terminal
        self.live_trace = False
        self.last: Answer | None = None
        self.question: str | None = None
        self.spent = NO_USAGE
        self._flags = dict(flags)
        self._config = config
        self._resources = ExitStack()
        self.settings: Settings
        self.session: Session
        self.thread = self._begin(continue_=continue_)
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._resources.close()

    def change(self, **flags: object) -> None:
        """Go on under changed settings; as it was if they or the collection are unusable.

        Raises:
            CragError: as `open_session`.
        """
        before = dict(self._flags)
        self._flags.update(flags)
        try:
            self._open()
        except BaseException:
            self._flags = before
            raise

    def switch(self, thread: str) -> None:
        """Go on in another thread, new or old, with the collection that it asked.

        Raises:
            UsageError: it is no name for a thread.
            CragError: as `change`.
        """
        read_settings(self._config, **{**self._flags, "thread": thread})  # the settings' own check
        before = self.session.memory.collection(thread)
        if before not in (None, self.session.reader.name):
            self.change(collection=before)
        self.thread = thread
        self.last = None

    def ask(self, line: str, show: Show, *, tokens: bool) -> Answer:
        """One turn; whatever ends it early leaves the thread as it was.

        Raises:
            CragError: as `Session.stream`.
        """
        self.question = line
        answer: Answer | None = None
        turn = self.session.stream(line, thread=self.thread, tokens=tokens)
        with closing(turn) as run:
            for event in run:
                show(event)
                if event["event"] == "answer":
                    answer = event["answer"]
        assert answer is not None, "a turn ends with an answer or an error"
        self.spent = add_usages((self.spent, answer["usage"]))
        self.last = answer
        return answer

    @property
    def turns(self) -> int:
        """How many turns the thread has had."""
        return self.session.memory.store.last_turn(self.thread)

    def _begin(self, *, continue_: bool) -> str:
        """The thread to begin with; the collection that it asked is asked on."""
        settings = read_settings(self._config, **self._flags)
        named = self._flags.get("collection")
        settings = on_thread(settings, named, self.terminal, continue_=continue_)
        self._flags["collection"] = settings.collection
        return settings.thread or new_thread_name()

    def _open(self) -> None:
        from rag.session import open_session

        settings = read_settings(self._config, **self._flags)
        session = open_session(settings, self.terminal.notice)
        self._resources.close()
        self._resources.enter_context(session)
        self.settings, self.session = settings, session


def new_thread_name() -> str:
    """Sorts by time: chat-20261121-2245-3fa9."""
    return f"chat-{datetime.now():%Y%m%d-%H%M}-{secrets.token_hex(2)}"  # noqa: DTZ005 - shown
