"""A clock that libraries can live with."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from state.errors import SetupError


def check_clock() -> None:
    """LangGraph's ids and Chroma end in a Rust panic where it is not 1970 yet.

    Raises:
        SetupError: it is not.
    """
    if time.time() < 0:
        year = datetime.now(UTC).year
        raise SetupError(f"This machine's clock says {year}, before any run can be.", "Set it.")
