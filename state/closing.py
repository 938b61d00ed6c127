"""What holds something open, and lets go of it when its `with` block ends."""

from __future__ import annotations

from typing import Self


class Closing:
    """A context manager whose end is its own `close`."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()
