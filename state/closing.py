"""Context managers that close what they hold: always, or only on failure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar

T = TypeVar("T", bound=Any)


class Closing(ABC):
    """A context manager that calls its own `close` when the block ends."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


@contextmanager
def closed_on_failure(held: T) -> Iterator[T]:
    """Close `held` if the block raises; leave it open otherwise."""
    try:
        yield held
    except BaseException:
        held.close()
        raise
