"""Traces of finished runs, kept beside the threads and bounded by age and number."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

from state.answer import Answer
from state.closing import Closing
from state.database import deflate_json, inflate_json
from state.errors import UsageError
from state.home_db import HomeDb
from state.wording import storable

if TYPE_CHECKING:
    from state.events import Event
    from state.settings import Settings


class TraceSummary(TypedDict):
    """One line of `crag trace list`. `created_at` is in seconds since 1970; `collection` is the one
    that was asked.
    """

    trace_id: str
    created_at: float
    thread: str | None
    status: str
    question: str
    collection: str


class Trace(TypedDict):
    """All events of a run, except the tokens it streamed, and its answer."""

    schema: str
    trace_id: str
    created_at: float
    answer: Answer
    events: list[Event]


_INSERT = (
    "insert or replace into traces (id, created_at, thread, status, question, collection, body)"
    " values ($1, $2, $3, $4, $5, $6, $7)"
)
_SUMMARY = """select id, created_at, thread, status, question, collection from traces
    where $2 is null or thread = $2"""
_WHOLE = "select id, created_at, body from traces where id = $1 or $1 = 'last'"
_NEWEST = "order by created_at desc, rowid desc"
_DROP_MOST = """delete from traces where id not in (
    select id from traces order by created_at desc, rowid desc limit $1)"""
_DAY = 86_400.0


class TraceStore(Closing):
    """The traces of a home; raises what `Database` raises."""

    def __init__(self, settings: Settings) -> None:
        self._database = self._held.enter_context(HomeDb(settings.home))
        self._bounds = settings.trace_keep, settings.trace_days

    def keep(self, trace_id: str, events: Sequence[Mapping[str, Any]], answer: Answer) -> None:
        """Store a finished run, in the place of an earlier part of it, and drop traces that are too
        old or too many.
        """
        now, (runs, days) = time.time(), self._bounds
        body = deflate_json({"answer": answer, "events": list(events)})
        question = storable(answer["question"])
        asked_of = next((each["collection"] for each in events if "collection" in each), "")
        row = (trace_id, now, answer["thread"], answer["status"], question, asked_of, body)
        with self._database.writing() as db:
            db.execute(_INSERT, row)
            db.execute("delete from traces where created_at < $1", (now - days * _DAY,))
            db.execute(_DROP_MOST, (runs,))

    def get(self, trace_id: str) -> Trace:
        """One trace by its id, or "last"; raises UsageError if there is none."""
        rows = self._database.read(f"{_WHOLE} {_NEWEST} limit 1", (trace_id,))
        if not rows and trace_id == "last":
            raise UsageError("There is no trace yet.", "`crag ask` keeps one of each question.")
        if not rows:
            raise UsageError(f"There is no trace {trace_id!r}.", "`crag trace list` shows them.")
        found, created_at, body = rows[0]
        kept = inflate_json(body, f"The trace {found}", "`crag trace list` shows the others.")
        about = {"schema": "crag.trace/1", "trace_id": found, "created_at": created_at}
        return cast("Trace", {**about, **kept})

    def summaries(self, limit: int = 20, thread: str | None = None) -> list[TraceSummary]:
        """The newest traces, all or those of a thread."""
        rows = self._database.read(f"{_SUMMARY} {_NEWEST} limit $1", (limit, thread))
        names = TraceSummary.__annotations__
        return [cast("TraceSummary", dict(zip(names, row, strict=True))) for row in rows]

    def delete_thread(self, thread: str) -> None:
        """Drop every trace of a thread's turns."""
        if self.summaries(1, thread):  # where there is none, no file is made
            with self._database.writing() as db:
                db.execute("delete from traces where thread = $1", (thread,))
