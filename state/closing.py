"""Context managers that close what they hold: always, or only on failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Any, Self, TypeVar

T = TypeVar("T", bound=Any)


class Closing:
    """A context manager that closes what it holds when the block ends."""

    @cached_property
    def _held(self) -> ExitStack:
        """What it opens and closes, the last one first."""
        return ExitStack()

    def close(self) -> None:
        self._held.close()

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
