"""What a research run has finished, kept as it finishes: a kill loses no subtask's work.

One SQLite file for all runs. A subtask's artifact is written in one transaction when its
subagent returns; the report is made of these and of nothing else.
"""

from __future__ import annotations

import json
import sqlite3
import time
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypedDict, cast

from state.answer import NodeUsage, Usage
from state.closing import Closing
from state.errors import UsageError
from state.research_state import Artifact, Subtask
from state.sqlite_file import SqlitePlace, log_ahead
from state.trace_store import too_old
from state.usage import add_usages

JOURNAL_FILE = "research.db"

_SCHEMA = """
create table if not exists runs (
    id text primary key, created_at real not null, start text not null, state text not null,
    escalation text, answer text, report text);
create table if not exists plans (
    run text not null, round integer not null, body text not null, usage text not null,
    primary key (run, round));
create table if not exists artifacts (
    run text not null, subtask text not null, cut integer not null,
    body text not null, primary key (run, subtask));
create table if not exists warnings (
    run text not null, line text not null, primary key (run, line));
"""


_OF_A_RUN = ("artifacts", "plans", "warnings")
_FINISHED = "select rowid, created_at from runs where state = 'finished' order by rowid desc"
_TOO_MANY = """
select id from runs where state = 'finished' and (rowid <= ? or id not in (
    select id from runs where state = 'finished' order by rowid desc limit ?))
"""


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
        row = (run_id, time.time(), json.dumps(start))
        self._write("insert into runs values (?, ?, ?, 'running', null, null, null)", row)

    def wait(self, run_id: str, escalation: str) -> None:
        """The run waits for the person to answer `escalation`."""
        self._write(
            "update runs set state = 'waiting', escalation = ?, answer = null where id = ?",
            (escalation, run_id),
        )

    def answered(self, run_id: str, answer: str) -> None:
        """The person's answer, kept before anything is done with it."""
        self._write(
            "update runs set state = 'running', escalation = null, answer = ? where id = ?",
            (answer, run_id),
        )

    def finish(self, run_id: str, report: dict[str, Any]) -> None:
        """Keep the report, and drop finished runs that are too old or too many."""
        with self._file.writing() as db:
            db.execute(
                "update runs set state = 'finished', escalation = null, report = ? where id = ?",
                (json.dumps(report), run_id),
            )
            _drop_finished(db, *self._bounds)

    def keep(self, run_id: str, artifact: Artifact) -> None:
        """Keep a subtask's artifact. The first that is whole stays; a later one takes the
        place of one that a budget cut, and bears what that one cost too.
        """
        with self._file.writing() as db:
            before = db.execute(
                "select body from artifacts where run = ? and subtask = ? and cut",
                (run_id, artifact["subtask"]),
            )
            usages = [json.loads(body)["usage"] for (body,) in before] + [artifact["usage"]]
            body = json.dumps({**artifact, "usage": add_usages(usages)})
            db.execute(
                "insert into artifacts values (?, ?, ?, ?) on conflict do update "
                "set body = excluded.body, cut = excluded.cut where artifacts.cut",
                (run_id, artifact["subtask"], artifact["status"] == "cut", body),
            )

    def keep_plan(self, run_id: str, number: int, plan: list[Subtask], usage: NodeUsage) -> None:
        """Keep a round's plan before it is worked on: a resumed run follows the same one."""
        self._write(
            "insert or ignore into plans values (?, ?, ?, ?)",
            (run_id, number, json.dumps(plan), json.dumps(usage)),
        )

    def plan(self, run_id: str, number: int) -> tuple[list[Subtask], NodeUsage] | None:
        """The plan of a round that was begun and what it cost, or None."""
        rows = self._file.read(
            "select body, usage from plans where run = ? and round = ?", (run_id, number)
        )
        return (json.loads(rows[0][0]), json.loads(rows[0][1])) if rows else None

    def warn(self, run_id: str, line: str) -> None:
        """Keep a line for the report's warnings, once."""
        self._write("insert or ignore into warnings values (?, ?)", (run_id, line))

    def warnings(self, run_id: str) -> list[str]:
        rows = self._file.read("select line from warnings where run = ? order by rowid", (run_id,))
        return [line for (line,) in rows]

    def artifacts(self, run_id: str) -> list[Artifact]:
        """What was returned, in the order it was planned, whichever was finished first."""
        plans = self._file.read("select body from plans where run = ? order by round", (run_id,))
        order = [task["id"] for (body,) in plans for task in json.loads(body)]
        rows = self._file.read("select body from artifacts where run = ?", (run_id,))
        found = [cast("Artifact", {"warnings": [], **json.loads(body)}) for (body,) in rows]
        return sorted(found, key=lambda artifact: order.index(artifact["subtask"]))

    def run(self, run_id: str) -> Run:
        """One run by its id, an unambiguous beginning of it, or "last".

        Raises:
            UsageError: there is none, or more than one.
        """
        select = "select id, created_at, start, state, escalation, answer, report from runs"
        if run_id == "last":
            rows = self._file.read(f"{select} order by created_at desc limit 1", ())
        else:
            rows = self._file.read(
                f"{select} where substr(id, 1, length(?)) = ? order by id limit 2",
                (run_id, run_id),
            )
        if len(rows) != 1 or not run_id:
            many = "begins more than one research run" if rows else "is no research run"
            raise UsageError(f"{run_id!r} {many}.", self._others(run_id))
        found: Any = dict(zip(Run.__annotations__, rows[0], strict=True))
        found["start"] = json.loads(found["start"])
        found["report"] = found["report"] and json.loads(found["report"])
        return cast("Run", found)

    def unfinished(self) -> list[Unfinished]:
        """The runs that can go on, the newest first."""
        rows = self._file.read(
            "select id, created_at, start, state, escalation from runs "
            "where state != 'finished' order by created_at desc",
            (),
        )
        told = ((run, at, json.loads(start)["asked"], *rest) for run, at, start, *rest in rows)
        keys = Unfinished.__annotations__
        return [cast("Unfinished", dict(zip(keys, each, strict=True))) for each in told]

    def _others(self, run_id: str) -> str:
        """What may have been meant."""
        names = [name for (name,) in self._file.read("select id from runs order by created_at", ())]
        near = get_close_matches(run_id, names, n=1)
        if near:
            return f"Did you mean {near[0]}?"
        if self.unfinished():
            return "`crag research --list` shows the runs that can go on."
        return "A run prints its id when it starts; none waits to go on."

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        with self._file.writing() as db:
            db.execute(statement, values)


def _drop_finished(db: sqlite3.Connection, keep: int, days: int) -> None:
    """Drop what is too old or too much; inside the caller's transaction."""
    values = (too_old(db.execute(_FINISHED), days) or 0, keep)
    for (run,) in db.execute(_TOO_MANY, values).fetchall():
        for table in _OF_A_RUN:
            db.execute(f"delete from {table} where run = ?", (run,))  # noqa: S608 - a constant
        db.execute("delete from runs where id = ?", (run,))
