"""An open Chroma collection that is closed in any case."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Self

from rag.index.chroma_errors import foreign_errors


class ChromaCollection:
    """One collection of one client."""

    def __init__(self, client: Any, collection: Any) -> None:
        self._client = client
        self._collection = collection

    def close(self) -> None:
        with contextlib.suppress(Exception):  # a damaged store may fail to close, too
            self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _mapped(self) -> Iterator[None]:
        with foreign_errors():
            yield


@contextlib.contextmanager
def closed_if_failed(client: Any) -> Iterator[None]:
    """For the time before the client belongs to a `ChromaCollection`."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(Exception):
            client.close()
        raise
