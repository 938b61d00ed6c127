"""The documents' texts as a store keeps them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from rag.index.codec import decode_path, inflated
from rag.index.collection_rows import rows_of_many
from state.database import Sql
from state.errors import DamagedError

_KEPT_CHARACTERS = 8_000_000
_AT_ONCE = 32


class Texts:
    """Keeps the texts read last: a question's rewrites find much of the same. They never change: no
    document's number is given twice.
    """

    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self._kept: dict[int, str] = {}
        self._characters = 0

    def whole(self, document: int) -> str:
        ((_, text),) = self.each([document])
        return text

    def each(self, documents: Iterable[int]) -> Iterator[tuple[int, str]]:
        """(document, text) of these, a bounded number of them held at a time."""
        unread = []
        for document in documents:
            if (kept := self._kept.get(document)) is None:
                unread.append(document)
            else:
                yield document, kept
        query = "SELECT document_id, text FROM texts WHERE document_id IN ({some})"
        for first in range(0, len(unread), _AT_ONCE):
            some = unread[first : first + _AT_ONCE]
            stored = dict(rows_of_many(self._sql, query, some))
            for document in some:
                text = self._inflated(document, stored.get(document))
                self._keep(document, text)
                yield document, text

    def _keep(self, document: int, text: str) -> None:
        self._characters += len(text)
        while self._kept and self._characters > _KEPT_CHARACTERS:
            self._characters -= len(self._kept.pop(next(iter(self._kept))))
        self._kept[document] = text

    def _inflated(self, document: int, stored: bytes | None) -> str:
        try:
            return inflated(stored or b"")
        except (zlib.error, UnicodeDecodeError, TypeError):
            rows = self._sql.execute("SELECT source FROM documents WHERE id = $1", (document,))
            raise DamagedError(
                f"The stored text of {decode_path(rows.fetchone()[0])!r} is damaged.",
                "Run `crag collections delete` and `crag ingest` on its folder again.",
            ) from None
