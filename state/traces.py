"""Traces of finished runs, kept beside the threads and bounded by age and number."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypedDict

from state.answer import Answer
from state.errors import UsageError
from state.events import Event
from state.sqlite_file import connect, create_private, sqlite_failures

TRACES_FILE = "traces.db"
TRACE_SCHEMA = "crag.trace/1"
PRUNE_EVERY = 50

Kind = Literal["answer", "research"]

_SCHEMA = """
create table if not exists traces (
    id text primary key, created_at real not null, kind text not null, thread text,
    status text not null, question text not null, body blob not null);
create index if not exists traces_by_time on traces (created_at);
"""


class TraceSummary(TypedDict):
    """One line of `crag trace list`; `created_at` is seconds since 1970."""

    trace_id: str
    created_at: float
    kind: str
    thread: str | None
    status: str
    question: str


class Trace(TypedDict):
    """Everything a run said, but for the tokens it streamed."""

    schema: str
    trace_id: str
    created_at: float
    kind: str
    answer: Answer
    events: list[Event]


class TraceStore:
    """One SQLite file under CRAG_HOME; a context manager.

    Every method raises StorageError or StoreBusyError, and nothing foreign.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / TRACES_FILE
        self._name = f"The trace store {self._path}"
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def keep(
        self,
        trace_id: str,
        events: Sequence[Mapping[str, Any]],
        answer: Answer,
        *,
        kind: Kind = "answer",
        keep: int = 500,
        days: int = 90,
    ) -> None:
        """Store a finished run; now and then drop those past `keep` or older than `days`."""
        body = json.dumps({"answer": answer, "events": list(events)}, separators=(",", ":"))
        packed = zlib.compress(body.encode(), 6)
        now = time.time()
        with sqlite_failures(self._name):
            db = self._writable()
            row = (trace_id, now, kind, answer["thread"], answer["status"])
            question = answer["question"].encode("utf-8", "replace").decode()
            db.execute("begin immediate")
            db.execute(
                "insert or replace into traces values (?, ?, ?, ?, ?, ?, ?)",
                (*row, question, packed),
            )
            (rowid,) = db.execute("select max(rowid) from traces").fetchone()
            if rowid % PRUNE_EVERY == 0:
                db.execute("delete from traces where created_at < ?", (now - days * 86_400,))
                db.execute(
                    "delete from traces where rowid not in"
                    " (select rowid from traces order by created_at desc limit ?)",
                    (keep,),
                )
            db.execute("commit")

    def get(self, trace_id: str) -> Trace:
        """One trace by its id, an unambiguous beginning of it, or "last".

        Raises:
            UsageError: there is none, or more than one.

        """
        with sqlite_failures(self._name):
            rows = self._matching(trace_id)
        if not rows:
            raise UsageError(f"There is no trace {trace_id!r}.", "`crag trace list` shows them.")
        if len(rows) > 1:
            raise UsageError(
                f"{trace_id!r} begins more than one trace.", "Give more of the trace's id."
            )
        found, created_at, kind, body = rows[0]
        content: dict[str, Any] = json.loads(zlib.decompress(body))
        return {
            "schema": TRACE_SCHEMA,
            "trace_id": found,
            "created_at": created_at,
            "kind": kind,
            "answer": content["answer"],
            "events": content["events"],
        }

    def summaries(self, limit: int = 20) -> list[TraceSummary]:
        """The newest traces, newest first."""
        with sqlite_failures(self._name):
            db = self._readable()
            rows = (
                []
                if db is None
                else db.execute(
                    "select id, created_at, kind, thread, status, question from traces"
                    " order by created_at desc, rowid desc limit ?",
                    (limit,),
                ).fetchall()
            )
        return [
            {
                "trace_id": trace_id,
                "created_at": created_at,
                "kind": kind,
                "thread": thread,
                "status": status,
                "question": question,
            }
            for trace_id, created_at, kind, thread, status, question in rows
        ]

    def _matching(self, trace_id: str) -> list[tuple[str, float, str, bytes]]:
        db = self._readable()
        if db is None:
            return []
        select = "select id, created_at, kind, body from traces"
        if trace_id == "last":
            return db.execute(f"{select} order by created_at desc, rowid desc limit 1").fetchall()
        exact = db.execute(f"{select} where id = ?", (trace_id,)).fetchall()
        return (
            exact
            or db.execute(
                f"{select} where substr(id, 1, length(?)) = ? limit 2", (trace_id, trace_id)
            ).fetchall()
        )

    def _writable(self) -> sqlite3.Connection:
        if self._connection is None:
            create_private(self._path)
            self._connection = connect(self._path)
            self._connection.executescript(f"pragma journal_mode = wal; {_SCHEMA}")
        return self._connection

    def _readable(self) -> sqlite3.Connection | None:
        if self._connection is None and not self._path.exists():
            return None
        return self._writable()
