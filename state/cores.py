"""The number of processor cores that this process may use."""

from __future__ import annotations

import os
import sys


def usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
