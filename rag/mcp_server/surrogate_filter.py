"""Standard input whose JSON holds no half of a surrogate pair.

JSON may escape one, Python may make one; the MCP package drops such a request without a reply,
and whoever sent it waits for ever.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from threading import Thread
from typing import BinaryIO


def filter_input() -> None:
    """From here on, descriptor 0 gives what it gave, line by line, filtered."""
    given = os.fdopen(os.dup(0), "rb")
    end, begin = os.pipe()
    os.dup2(end, 0)
    os.close(end)
    Thread(target=_pass_on, args=(given, begin), name="filtered-input", daemon=True).start()


def filtered(line: bytes) -> bytes:
    r"""The line with every lone `\ud800` of its JSON as a question mark."""
    if b"\\ud" not in line.lower():
        return line
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line  # the server says what is wrong with it
    return text.encode("utf-8", "replace") + b"\n"


def _pass_on(given: BinaryIO, begin: int) -> None:
    with suppress(OSError), given, os.fdopen(begin, "wb", buffering=0) as passed:
        for line in given:
            rest = memoryview(filtered(line))
            while rest:
                rest = rest[passed.write(rest) or 0 :]
