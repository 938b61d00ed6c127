"""Measurements of an unfinished run, so that an interrupted evaluation goes on.

One file a configuration, a line a query, removed when the run is done: a finished
evaluation is measured anew the next time.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from rag.evaluate.measurements import Measurement
from state.closing import Closing
from state.errors import StoreBusyError


def fingerprint(value: Mapping[str, Any]) -> str:
    """A short name for a configuration: equal for equal JSON."""
    data = json.dumps(value, sort_keys=True, default=str).encode()
    return hashlib.blake2b(data, digest_size=10).hexdigest()


class Journal(Closing):
    """What was measured already, by query id.

    Raises:
        StoreBusyError: another process runs the same evaluation.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file = path.open("a+b")
        self.done: dict[str, Measurement] = {}
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise StoreBusyError(
                "Another process runs the same evaluation.", "Wait until it is done."
            ) from None
        self._file.seek(0)
        whole = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break  # the process was killed while it wrote this line
            measured = cast("Measurement", json.loads(line))
            self.done[measured["id"]] = measured
            whole += len(line)
        self._file.truncate(whole)

    def close(self) -> None:
        self._file.close()

    def add(self, measured: Measurement) -> None:
        self._file.write(json.dumps(measured).encode() + b"\n")
        self._file.flush()
        self.done[measured["id"]] = measured

    def finish(self) -> None:
        """Forget the run: it is complete and reported."""
        self._path.unlink(missing_ok=True)
