"""The switches among the environment's CRAG_… variables, read before any command has been."""

from __future__ import annotations

import os

_OFF = ("", "0", "f", "false", "n", "no", "off")


def is_on(name: str) -> bool:
    return os.environ.get(name, "").lower() not in _OFF
