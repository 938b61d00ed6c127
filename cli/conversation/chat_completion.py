"""Completion at the prompt: commands and their arguments, and names of sources."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, WordCompleter
from prompt_toolkit.document import Document

from cli.conversation.slash_commands import CHANGEABLE, COMMANDS
from cli.terminal import clean
from state.errors import CragError

if TYPE_CHECKING:
    from cli.conversation.talk import Conversation

MOST = 50
"""Completions offered at once."""


class ChatCompleter(Completer):
    """Commands complete as they are typed; a source's name when Tab asks for it."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk
        self._known: tuple[str, list[str]] | None = None
        self._commands = WordCompleter(
            [f"/{name}" for name in COMMANDS],
            meta_dict={f"/{name}": each.help for name, each in COMMANDS.items()},
            sentence=True,
        )
        self._sources = WordCompleter(
            self._source_names, ignore_case=True, match_middle=True, WORD=True
        )

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        name, space, argument = document.text_before_cursor.partition(" ")
        if name.startswith("/") and space:
            choices = WordCompleter(self._choices(name[1:]), sentence=True)
            return choices.get_completions(Document(argument), complete_event)
        if name.startswith("/"):
            return self._commands.get_completions(document, complete_event)
        if complete_event.completion_requested and document.get_word_before_cursor(WORD=True):
            return islice(self._sources.get_completions(document, complete_event), MOST)
        return ()

    def _choices(self, name: str) -> list[str]:
        settings = self._talk.settings
        try:
            match name:
                case "thread":
                    store = self._talk.session.memory.store
                    return [clean(each.name) for each in store.threads()[:MOST]]
                case "collection":
                    from rag.index.stores import store_of

                    return store_of(settings).names()
                case "set":
                    return list(CHANGEABLE)
                case "trace":
                    return ["on", "off"]
        except CragError:  # a store that fails will say so when it is used
            pass
        return []

    def _source_names(self) -> list[str]:
        name = self._talk.session.reader.name
        if self._known is None or self._known[0] != name:
            from rag.index.stores import all_sources, store_of

            settings = self._talk.settings
            try:
                sources = all_sources(store_of(settings), settings.collections)
            except CragError:
                sources = []
            self._known = (name, [clean(source) for source in sources])
        return self._known[1]
