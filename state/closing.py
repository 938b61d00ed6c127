"""What holds something open, and lets go of it when its `with` block ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar

T = TypeVar("T", bound=Any)


class Closing(ABC):
    """A context manager whose end is its own `close`."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


@contextmanager
def closed_on_failure(held: T) -> Iterator[T]:
    """Closes it where the block raises, and leaves it open otherwise."""
    try:
        yield held
    except BaseException:
        held.close()
        raise
