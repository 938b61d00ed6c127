"""What the shell may complete: names of collections, threads, traces and research runs.

A completion must neither be slow nor fail: whatever goes wrong, nothing is offered.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from state.choices import default_home

MOST = 50
_PLAIN = re.compile(r"[\w.,@%+=-]+")
"""Names that mean themselves in every shell; zsh evaluates what it is offered."""


def complete_collection(incomplete: str) -> list[str]:
    """Also the last of several, as in a,b."""
    before, comma, last = incomplete.rpartition(",")
    names = _names("catalog.sqlite", "select name from collections order by name", last)
    return [f"{before}{comma}{name}" for name in names]


def complete_thread(incomplete: str) -> list[str]:
    return _names("home.db", "select name from crag_threads order by id desc", incomplete)


def complete_trace(incomplete: str) -> list[str]:
    query = "select 'last' union all select id from traces order by 1 desc"
    return _names("home.db", query, incomplete)


def complete_run(incomplete: str) -> list[str]:
    query = "select 'last' union all select run from research where kind = 'run' order by 1 desc"
    return _names("home.db", query, incomplete)


def _names(file: str, query: str, incomplete: str) -> list[str]:
    home = os.environ.get("CRAG_HOME")
    path = (Path(home) if home else default_home()) / file
    if not path.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            names = [str(name) for (name,) in db.execute(query)]
    except sqlite3.Error:
        return []
    return [name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)][:MOST]
