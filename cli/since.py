"""A moment as a person writes it: so long ago, or a date."""

from __future__ import annotations

import re
import time
from datetime import datetime

from state.errors import UsageError

_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}


def moment(text: str) -> float:
    """Seconds since 1970 of "90m", "12h", "3d", "2w" ago, or of a local date and time.

    Raises:
        UsageError: it is none of these.
    """
    ago = re.fullmatch(r"(\d{1,6})\s*([mhdw])", text.strip().lower())
    if ago:
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no time.", "Write 90m, 12h, 3d, 2w, or a date like 2026-11-21."
        ) from None
