"""The first sign of life: a line on the terminal before anything heavy is imported.

It gives way to whatever is shown next; each that writes to a stream clears it first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from cli.variables import is_on

_SLOW = frozenset({"ask", "chat", "research", "search"})
_NOT_BESIDE = frozenset({"-q", "--quiet", "-h", "--help", "-"})
"""`-` waits for what the person types."""

_STARTING = "⠋ starting…"
_PLAIN = "starting..."
_shown = [False]


def show_first_sign(words: Sequence[str]) -> None:
    """On standard error, if it is a terminal that takes escapes and the command line `words`
    begins with one of the commands that take their time to start.
    """
    if not words or words[0] not in _SLOW or _NOT_BESIDE & set(words) or is_on("CRAG_QUIET"):
        return
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return
    line = _STARTING if (sys.stderr.encoding or "").lower() == "utf-8" else _PLAIN
    with suppress(OSError):
        sys.stderr.write(line)
        sys.stderr.flush()
        _shown[0] = True


def clear_first_sign() -> None:
    if _shown[0]:
        _shown[0] = False
        with suppress(OSError):
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
