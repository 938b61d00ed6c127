"""What is known of the server behind a model, and how much of the documents to give it.

What was learned is kept in the home for the next process: addresses, names of models and no word of
any document; losing it costs a few requests.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from pydantic import TypeAdapter

from rag.endpoint.address import Endpoint
from rag.endpoint.local_servers import ServerFacts, facts_of
from rag.engines.openai.reply import Reply
from state.settings import Settings

FILE = "servers.json"
MOST_KEPT = 50
SLOW = 400.0
"""A server that reads fewer tokens in a second is slow: a full context takes it too long."""
PATIENCE = 15.0
"""Seconds that a slow server may read documents for."""
LEAST_CONTEXT = 500
"""Tokens of documents that any server is given, if there are so many."""
FIRST_CONTEXT = 1_500
"""Tokens of documents for a server on this machine of which nobody knows how fast it reads."""
BESIDE = 2_200
"""Tokens of a context that are left for the instructions, the history and the reply."""
_TOLD = 1_500
"""Tokens of a prompt that tells how fast it is read. A shorter one tells the latency, which only
shows that a server is no longer as slow as it was.
"""


@dataclass(frozen=True, slots=True)
class KnownServer:
    """`form` is how structured replies are requested, None while unknown. `reads` is in tokens a
    second, None until it was timed. `answers` says whether the server has given quotes in that form
    or has answered in plain words all the same.
    """

    form: str | None = None
    reads: int | None = None
    answers: Literal["quotes", "plain"] | None = None


_ROWS = TypeAdapter(dict[str, KnownServer])


class Server:
    """One model at one endpoint."""

    def __init__(self, endpoint: Endpoint, model: str, settings: Settings, seconds: float) -> None:
        """`seconds` is what a request may take."""
        self._endpoint = endpoint
        self._model = model
        self._settings = settings
        self._seconds = seconds
        self._file = settings.home / FILE
        self._key = f"{endpoint.base_url.rstrip('/')} {model}"

    @cached_property
    def known(self) -> KnownServer:
        return self._kept().get(self._key, KnownServer())

    def learn(self, **found: Any) -> None:
        """Keeps what was found out of the server. Two processes may lose each other's rows; in a
        home that cannot be written none are kept.
        """
        if (known := replace(self.known, **found)) != self.known:
            self.known = known
            others = {key: row for key, row in self._kept().items() if key != self._key}
            newest = [*others.items(), (self._key, known)][-MOST_KEPT:]
            with suppress(OSError):
                self._file.write_bytes(_ROWS.dump_json(dict(newest), indent=1))

    def _kept(self) -> dict[str, KnownServer]:
        try:
            return _ROWS.validate_json(self._file.read_bytes())
        except (OSError, ValueError):
            return {}

    def time(self, reply: Reply) -> None:
        """Learns how fast the server reads from what a stream's first piece waited for; only of a
        server on this machine's own processor, since another may have kept the request waiting.
        """
        known = self.known.reads or 0
        enough = _TOLD // 5 if self.is_slow else _TOLD
        if reply.waited is None or reply.read < enough or self._facts.kind is None:
            return
        reads = round(reply.read / max(reply.waited, 1e-3))
        if min(reads, known) < SLOW:
            self.learn(reads=reads)

    @property
    def is_slow(self) -> bool:
        """Whether the server is known to read slowly, as only one of this machine is; never where
        the person chose how much to read. It is given little, and a second answer would take it
        another minute.
        """
        reads = self.known.reads
        return reads is not None and reads < SLOW and not self._is_chosen

    @property
    def is_untimed(self) -> bool:
        """Whether it runs on this machine and nobody knows how fast it reads."""
        return self._facts.kind is not None and self.known.reads is None

    @property
    def _is_chosen(self) -> bool:
        return "context_tokens" in self._settings.model_fields_set

    def document_tokens(self, wanted: int, times: float = 1.0) -> int:
        """How many of the `wanted` tokens of documents the server is given. A slow one may read
        them `times` as long as PATIENCE, but a third of the time of a request at most.
        """
        rooms = [wanted]
        if self.is_slow:
            rooms.append(round((self.known.reads or 0) * min(PATIENCE * times, self._seconds / 3)))
        if self.is_untimed and not self._is_chosen:
            rooms.append(FIRST_CONTEXT)
        if (size := self._facts.context) is not None:
            rooms.append(size - BESIDE)
        return max(min(rooms), min(wanted, LEAST_CONTEXT))

    @cached_property
    def _facts(self) -> ServerFacts:
        """What a server on this machine says of itself; no other server is asked."""
        here = self._endpoint.loopback
        return facts_of(self._endpoint, self._model) if here else ServerFacts()
