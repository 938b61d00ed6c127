"""Completion at the prompt: commands and their arguments, and names of sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
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
        self._sources: tuple[str, list[str]] | None = None

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        text = document.text_before_cursor
        if text.startswith("/"):
            return self._command(text)
        word = document.get_word_before_cursor(WORD=True)
        if word and complete_event.completion_requested:
            return self._source(word)
        return ()

    def _command(self, text: str) -> Iterator[Completion]:
        name, space, argument = text[1:].partition(" ")
        if not space:
            for command in COMMANDS.values():
                if command.name.startswith(name):
                    yield Completion(
                        f"/{command.name}", -len(text), display_meta=clean(command.help)
                    )
            return
        for choice in self._choices(name):
            if choice.startswith(argument):
                yield Completion(clean(choice), -len(argument))

    def _choices(self, name: str) -> Sequence[str]:
        try:
            match name:
                case "thread":
                    store = self._talk.session.memory.store
                    return [each.name for each in store.threads()[:MOST]]
                case "collection":
                    from rag.index.stores import store_of

                    return store_of(self._talk.settings).names()
                case "set":
                    return CHANGEABLE
                case "trace":
                    return ("on", "off")
                case _:
                    return ()
        except CragError:  # a store that fails will say so when it is used
            return ()

    def _source(self, word: str) -> Iterator[Completion]:
        wanted = word.casefold()
        found = 0
        for source in self._source_names():
            if wanted in source.casefold():
                yield Completion(clean(source), -len(word))
                found += 1
                if found == MOST:
                    return

    def _source_names(self) -> list[str]:
        name = self._talk.session.reader.name
        if self._sources is None or self._sources[0] != name:
            from rag.index.stores import all_sources, store_of

            settings = self._talk.settings
            try:
                sources = all_sources(store_of(settings), settings.collections)
            except CragError:
                sources = []
            self._sources = (name, sources)
        return self._sources[1]
