"""What the shell may complete: names of collections, threads, traces and research runs.

A completion must neither be slow nor fail: whatever goes wrong, nothing is offered.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

MOST = 50
_PLAIN = re.compile(r"[\w.,@%+=-]+")
"""Names that mean themselves in every shell; zsh evaluates what it is offered."""


def complete_collection(incomplete: str) -> list[str]:
    """Also the last of several, as in a,b."""
    before, comma, last = incomplete.rpartition(",")
    names = _names("catalog.sqlite", "select name from collections order by name", last)
    return [f"{before}{comma}{name}" for name in names]


def complete_thread(incomplete: str) -> list[str]:
    return _names("threads.db", "select name from threads order by id desc", incomplete)


def complete_trace(incomplete: str) -> list[str]:
    ids = _names("traces.db", "select id from traces order by created_at desc", incomplete)
    return [*(["last"] if "last".startswith(incomplete) else []), *ids]


def complete_run(incomplete: str) -> list[str]:
    query = "select run from research where kind = 'run' order by created_at desc"
    runs = _names("research.db", query, incomplete)
    return [*(["last"] if "last".startswith(incomplete) else []), *runs]


def _names(file: str, query: str, incomplete: str) -> list[str]:
    path = _home() / file
    if not path.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            names = [str(name) for (name,) in db.execute(query)]
    except sqlite3.Error:
        return []
    offered = (name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name))
    return list(islice(offered, MOST))


def _home() -> Path:
    if os.environ.get("CRAG_HOME"):
        return Path(os.environ["CRAG_HOME"])
    from state.user_folders import default_home

    return default_home()
