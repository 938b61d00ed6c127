"""What a research run has finished, kept as it finishes: a kill loses no subtask's work.

One table for all runs: a row of each run, and one for each of its plans, artifacts and warnings. A
subtask's artifact is written in one transaction when its subagent returns; the report is made of
these and of nothing else.
"""

from __future__ import annotations

import json
import sqlite3
import time
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

from state.answer import NodeUsage, Usage
from state.closing import Closing
from state.errors import UsageError
from state.research_state import Artifact, Subtask
from state.sqlite_file import SqlitePlace, log_ahead
from state.trace_store import too_old
from state.usage import add_usages

JOURNAL_FILE = "research.db"

_SCHEMA = """
create table if not exists research (
    run text not null, kind text not null, name text not null, created_at real not null,
    body text not null, primary key (run, kind, name));
"""
_PUT = (
    "insert into research values (?, ?, ?, ?, ?) "
    "on conflict do update set body = excluded.body where excluded.body != body"
)
_FINISHED = (
    "select rowid, created_at from research where kind = 'run' "
    "and json_extract(body, '$.state') = 'finished' order by rowid desc"
)

Kind = Literal["run", "plan", "artifact", "warning"]


class Start(TypedDict):
    """How a run was started, which a resumed one goes by too. `question` stands alone;
    `asked` is what was typed; `flags` are settings by name; `usage` was spent before.
    """

    asked: str
    question: str
    flags: dict[str, Any]
    roles: list[str]
    max_rounds: int
    usage: Usage


class Run(TypedDict):
    """`state` is running, waiting (for the person's answer) or finished. `answer` is the
    last one that the person gave, until the run asks again.
    """

    id: str
    created_at: float
    start: Start
    state: str
    escalation: str | None
    answer: str | None
    report: dict[str, Any] | None


class Unfinished(TypedDict):
    """A run that can go on. `state` is running (or broken off) or waiting for `escalation`."""

    run_id: str
    created_at: float
    question: str
    state: str
    escalation: str | None


def make_tables(db: sqlite3.Connection) -> None:
    """Those that are not there."""
    db.executescript("pragma auto_vacuum = full; pragma secure_delete = on;")
    log_ahead(db)
    db.executescript(_SCHEMA)


class Journal(Closing):
    """The runs of one CRAG_HOME, `keep` of those that are finished and for so many days of use;
    one that can go on stays until it has. Safe to use from several threads.

    Every method raises StorageError or StoreBusyError, and nothing foreign.
    """

    def __init__(self, home: Path, keep: int = 100, days: int = 90) -> None:
        self._file = SqlitePlace(home / JOURNAL_FILE, "The research journal", make_tables)
        self._bounds = keep, days

    def close(self) -> None:
        self._file.close()

    def start(self, run_id: str, start: Start) -> None:
        told = {"state": "running", "escalation": None, "answer": None, "report": None}
        with self._file.writing() as db:
            _put(db, run_id, "run", "", {"start": start, **told})

    def wait(self, run_id: str, escalation: str) -> None:
        """The run waits for the person to answer `escalation`."""
        self._change(run_id, state="waiting", escalation=escalation, answer=None)

    def answered(self, run_id: str, answer: str) -> None:
        """The person's answer, kept before anything is done with it."""
        self._change(run_id, state="running", escalation=None, answer=answer)

    def finish(self, run_id: str, report: dict[str, Any]) -> None:
        """Keep the report, and drop finished runs that are too old or too many."""
        self._change(run_id, state="finished", escalation=None, report=report)
        with self._file.writing() as db:
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
            if not _bodies(db, run_id, "plan", f"{number:04d}"):
                _put(db, run_id, "plan", f"{number:04d}", {"plan": plan, "usage": usage})

    def plan(self, run_id: str, number: int) -> tuple[list[Subtask], NodeUsage] | None:
        """The plan of a round that was begun and what it cost, or None."""
        for kept in self._read(run_id, "plan", f"{number:04d}"):
            return kept["plan"], kept["usage"]
        return None

    def warn(self, run_id: str, line: str) -> None:
        """Keep a line for the report's warnings, once."""
        with self._file.writing() as db:
            _put(db, run_id, "warning", line, None)

    def warnings(self, run_id: str) -> list[str]:
        rows = self._file.read(
            "select name from research where run = ? and kind = 'warning' order by rowid", (run_id,)
        )
        return [line for (line,) in rows]

    def artifacts(self, run_id: str) -> list[Artifact]:
        """What was returned, in the order it was planned, whichever was finished first."""
        plans = self._read(run_id, "plan")
        order = [task["id"] for kept in plans for task in kept["plan"]]
        found = cast("list[Artifact]", self._read(run_id, "artifact"))
        return sorted(
            found, key=lambda a: order.index(a["subtask"]) if a["subtask"] in order else len(order)
        )

    def run(self, run_id: str) -> Run:
        """One run by its id, an unambiguous beginning of it, or "last".

        Raises:
            UsageError: there is none, or more than one.
        """
        select = "select run, created_at, body from research where kind = 'run'"
        if run_id == "last":
            rows = self._file.read(f"{select} order by created_at desc limit 1", ())
        else:
            rows = self._file.read(
                f"{select} and substr(run, 1, length(?)) = ? order by run limit 2",
                (run_id, run_id),
            )
        if len(rows) != 1 or not run_id:
            many = "begins more than one research run" if rows else "is no research run"
            raise UsageError(f"{run_id!r} {many}.", self._others(run_id))
        ((name, created_at, body),) = rows
        return cast("Run", {"id": name, "created_at": created_at, **json.loads(body)})

    def unfinished(self) -> list[Unfinished]:
        """The runs that can go on, the newest first."""
        rows = self._file.read(
            "select run, created_at, json_extract(body, '$.start.asked'), "
            "json_extract(body, '$.state'), json_extract(body, '$.escalation') from research "
            "where kind = 'run' and json_extract(body, '$.state') != 'finished' "
            "order by created_at desc",
            (),
        )
        keys = Unfinished.__annotations__
        return [cast("Unfinished", dict(zip(keys, row, strict=True))) for row in rows]

    def _others(self, run_id: str) -> str:
        """What may have been meant."""
        rows = self._file.read("select run from research where kind = 'run'", ())
        near = get_close_matches(run_id, [name for (name,) in rows], n=1)
        if near:
            return f"Did you mean {near[0]}?"
        if self.unfinished():
            return "`crag research --list` shows the runs that can go on."
        return "A run prints its id when it starts; none waits to go on."

    def _change(self, run_id: str, **changed: Any) -> None:
        with self._file.writing() as db:
            for body in _bodies(db, run_id, "run", ""):
                _put(db, run_id, "run", "", {**body, **changed})

    def _read(self, run_id: str, kind: Kind, name: str | None = None) -> list[Any]:
        rows = self._file.read(
            "select body from research where run = ? and kind = ? and name = coalesce(?, name) "
            "order by name",
            (run_id, kind, name),
        )
        return [json.loads(body) for (body,) in rows]


def _bodies(db: sqlite3.Connection, run_id: str, kind: Kind, name: str) -> list[Any]:
    select = "select body from research where run = ? and kind = ? and name = ?"
    return [json.loads(body) for (body,) in db.execute(select, (run_id, kind, name))]


def _put(db: sqlite3.Connection, run_id: str, kind: Kind, name: str, body: Any) -> None:
    db.execute(_PUT, (run_id, kind, name, time.time(), json.dumps(body)))


def _drop_finished(db: sqlite3.Connection, keep: int, days: int) -> None:
    """Drop what is too old or too much; inside the caller's transaction."""
    newest = db.execute(_FINISHED).fetchall()
    oldest = max(too_old(iter(newest), days) or 0, newest[keep][0] if len(newest) > keep else 0)
    db.execute(
        "delete from research where run in (select run from research where kind = 'run' "
        "and rowid <= ? and json_extract(body, '$.state') = 'finished')",
        (oldest,),
    )
