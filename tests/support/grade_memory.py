"""A cache of grades that lasts as long as the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class GradeMemory:
    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        return {key: self._values[key] for key in keys if key in self._values}

    def put(self, entries: Mapping[str, str]) -> None:
        self._values |= entries

    def close(self) -> None:
        """It holds nothing open."""
