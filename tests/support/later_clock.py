"""The clock of these tests and of all that they start, an hour further at each test.

The library of hardships.py, where it is preloaded, adds what stands in a file.
"""

import os
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

LATER = "CLOCK_FILE"

_hours = count(1)


def an_hour_on() -> None:
    """Each process of tests has a file of its own: two would turn each other's clock back."""
    file = Path(os.environ[LATER])
    if (hour := next(_hours)) == 1:
        file = Path(mkdtemp(prefix="later-"), "clock")
    new = file.with_suffix(".new")
    new.write_text(f"{hour * 3600}", encoding="ascii")
    new.replace(file)
    os.environ[LATER] = str(file)
