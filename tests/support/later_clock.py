"""The clock of these tests and of all that they start, an hour further at each test.

libfaketime adds to the clock what stands in a file that its environment names.
"""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

LATER = "FAKETIME_TIMESTAMP_FILE"

_hours = count(1)


def an_hour_on() -> None:
    """Each process of tests has a file of its own: two would turn each other's clock back."""
    file = Path(os.environ[LATER])
    if (hour := next(_hours)) == 1:
        file = Path(mkdtemp(prefix="later-"), "clock")
    file.write_text(f"+{hour}h\n", encoding="ascii")
    os.environ[LATER] = str(file)
