"""What a research run has finished, kept as it finishes: a kill loses no subtask's work.

One table for all runs: a row of each run, and one for each of its plans, artifacts and warnings. A
subtask's artifact is written in one transaction when its subagent returns; the report is made of
these and of nothing else.
"""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

from state.answer import NodeUsage, Usage, add_usages
from state.closing import Closing
from state.errors import UsageError
from state.home_db import HomeDb
from state.research_state import Artifact, Subtask
from state.trace_store import too_old

_PUT = (
    "insert into research values (?, ?, ?, ?, ?) "
    "on conflict do update set body = excluded.body where excluded.body != body"
)
_READ = "select body from research where run = ? and kind = ? and name = coalesce(?, name)"
_RUNS = "select run, created_at, body from research where kind = 'run'"
_FINISHED = (
    "select rowid, created_at from research where kind = 'run' "
    "and json_extract(body, '$.state') = 'finished' order by rowid desc"
)
_DROP = (
    "delete from research where run in (select run from research where kind = 'run' "
    "and json_extract(body, '$.state') = 'finished' and rowid <= ?)"
)

Kind = Literal["run", "plan", "artifact", "warning"]


class Start(TypedDict):
    """How a run was started, which a resumed one goes by too. `question` stands alone;
    `asked` is what was typed; `flags` are settings by name; `usage` was spent before.
    """

    asked: str
    question: str
    flags: dict[str, Any]
    max_rounds: int
    usage: Usage


class Run(TypedDict):
    """`state` is running (or broken off), waiting (for the person's answer to `escalation`) or
    finished. `answer` is the last one that the person gave, until the run asks again.
    """

    id: str
    created_at: float
    start: Start
    state: str
    escalation: str | None
    answer: str | None
    report: dict[str, Any] | None


class Journal(Closing):
    """The runs of one CRAG_HOME, `keep` of those that are finished and for so many days of use;
    one that can go on stays until it has. Safe to use from several threads.

    Every method raises StorageError or StoreBusyError, and nothing foreign.
    """

    def __init__(self, home: Path, keep: int = 100, days: int = 90) -> None:
        self._file = HomeDb(home)
        self._bounds = keep, days

    def close(self) -> None:
        self._file.close()

    def start(self, run_id: str, start: Start) -> None:
        told = {"state": "running", "escalation": None, "answer": None, "report": None}
        with self._file.writing() as db:
            _put(db, run_id, "run", "", {"start": start, **told})

    def change(self, run_id: str, **changed: Any) -> None:
        """Fields of its Run. With one that is finished, those too old or too many are dropped."""
        with self._file.writing() as db:
            for body in _bodies(db, run_id, "run", ""):
                _put(db, run_id, "run", "", {**body, **changed})
            if changed.get("state") == "finished":
                _drop_finished(db, *self._bounds)

    def keep(self, run_id: str, artifact: Artifact) -> None:
        """Keep a subtask's artifact. The first that is whole stays; a later one takes the
        place of one that a budget cut, and bears what that one cost too.
        """
        with self._file.writing() as db:
            usages = [artifact["usage"]]
            for before in _bodies(db, run_id, "artifact", artifact["subtask"]):
                if before["status"] != "cut":
                    return
                usages.insert(0, before["usage"])
            kept = {**artifact, "usage": add_usages(usages)}
            _put(db, run_id, "artifact", artifact["subtask"], kept)

    def keep_plan(self, run_id: str, number: int, plan: list[Subtask], usage: NodeUsage) -> None:
        """Keep a round's plan before it is worked on: a resumed run follows the same one."""
        with self._file.writing() as db:
            _put(db, run_id, "plan", f"{number:04d}", {"plan": plan, "usage": usage})

    def plan(self, run_id: str, number: int) -> tuple[list[Subtask], NodeUsage] | None:
        """The plan of a round that was begun and what it cost, or None."""
        for kept in self._read(run_id, "plan", f"{number:04d}"):
            return kept["plan"], kept["usage"]
        return None

    def warn(self, run_id: str, line: str) -> None:
        """Keep a line for the report's warnings, once."""
        with self._file.writing() as db:
            _put(db, run_id, "warning", line, line)

    def warnings(self, run_id: str) -> list[str]:
        return self._read(run_id, "warning")

    def artifacts(self, run_id: str) -> list[Artifact]:
        """What was returned, in the order it was planned, whichever was finished first."""
        order = [task["id"] for kept in self._read(run_id, "plan") for task in kept["plan"]]
        found = cast("list[Artifact]", self._read(run_id, "artifact"))
        places = {name: place for place, name in reversed([*enumerate(order)])}
        return sorted(found, key=lambda a: places.get(a["subtask"], len(order)))

    def run(self, run_id: str) -> Run:
        """One run by its id, an unambiguous beginning of it, or "last".

        Raises:
            UsageError: there is none, or more than one.
        """
        if run_id == "last":
            rows = self._file.read(f"{_RUNS} order by created_at desc limit 1", ())
        else:
            begins = f"{_RUNS} and substr(run, 1, length(?)) = ? limit 2"
            rows = self._file.read(begins, (run_id, run_id))
        if len(rows) != 1 or not run_id:
            told = "begins more than one research run" if rows else "is no research run"
            hint = "`crag research --list` shows the runs that can go on."
            raise UsageError(f"{run_id!r} {told}.", hint)
        return _run(*rows[0])

    def unfinished(self) -> list[Run]:
        """The runs that can go on, the newest first."""
        rows = self._file.read(f"{_RUNS} order by created_at desc", ())
        return [run for run in (_run(*row) for row in rows) if run["state"] != "finished"]

    def _read(self, run_id: str, kind: Kind, name: str | None = None) -> list[Any]:
        rows = self._file.read(f"{_READ} order by rowid", (run_id, kind, name))
        return [json.loads(body) for (body,) in rows]


def _run(name: str, created_at: float, body: str) -> Run:
    return cast("Run", {"id": name, "created_at": created_at, **json.loads(body)})


def _bodies(db: sqlite3.Connection, run_id: str, kind: Kind, name: str) -> list[Any]:
    return [json.loads(body) for (body,) in db.execute(_READ, (run_id, kind, name))]


def _put(db: sqlite3.Connection, run_id: str, kind: Kind, name: str, body: Any) -> None:
    db.execute(_PUT, (run_id, kind, name, time.time(), json.dumps(body)))


def _drop_finished(db: sqlite3.Connection, keep: int, days: int) -> None:
    """Drop what is too old or too much; inside the caller's transaction."""
    newest = db.execute(_FINISHED).fetchall()
    oldest = max(too_old(iter(newest), days) or 0, newest[keep][0] if len(newest) > keep else 0)
    db.execute(_DROP, (oldest,))
