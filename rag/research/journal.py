"""The journal of research runs, written as subtasks finish: a kill loses no finished work.

One table holds a row for each run and one for each of its artifacts. An artifact is written in one
transaction when its subagent returns; the report is made of these rows alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from state.closing import Closing
from state.errors import UsageError
from state.home_db import HomeDb
from state.research_state import Artifact, ResearchState, Subtask

_KEEP = "insert or ignore into research values (?, ?, ?, ?, ?)"
_CHANGE = "update research set body = ? where run = ? and kind = 'run'"
_READ = "select body from research where run = ? and kind = ? order by rowid"
_NEWEST = "select body from research where kind = 'run' order by created_at desc limit 1"
_FINISHED = "kind = 'run' and json_extract(body, '$.report') is not null"
_DROP = (
    "delete from research where run in "  # noqa: S608 - a constant
    f"(select run from research where {_FINISHED} order by rowid desc limit -1 offset ?)"
)


FORM = [*ResearchState.__annotations__, *Subtask.__annotations__]
"""What a run is kept in: one with other fields is of an earlier version."""


class ResearchRun(TypedDict):
    """A run and how it was started, which a resumed run goes by too. `asked` is the question as
    typed; `flags` are settings by name; `form` is FORM as it was.

    `state` says how far it is. A run with a `report` is finished.
    """

    id: str
    form: list[str]
    asked: str
    flags: dict[str, Any]
    state: ResearchState
    report: dict[str, Any] | None


class Journal(Closing):
    """The research runs of one CRAG_HOME: of the finished ones the newest `keep`, and every run
    that can go on. It may be used by several threads.

    Every method raises StorageError or StoreBusyError, and nothing foreign.
    """

    def __init__(self, home: Path, keep: int = 100) -> None:
        self._file = self._held.enter_context(HomeDb(home))
        self._keep = keep

    def start(self, run: ResearchRun) -> None:
        self._put(run["id"], "run", "", run)

    def change(self, run_id: str, **changed: Any) -> None:
        """Change fields of a run; if it is finished now, drop the oldest beyond `keep`."""
        with self._file.writing() as db:
            for (body,) in db.execute(_READ, (run_id, "run")).fetchall():
                db.execute(_CHANGE, (json.dumps({**json.loads(body), **changed}), run_id))
            if "report" in changed:
                db.execute(_DROP, (self._keep,))

    def keep(self, run_id: str, artifact: Artifact) -> None:
        self._put(run_id, "artifact", artifact["expected_artifact"], artifact)

    def artifacts(self, run_id: str, plan: Sequence[Subtask] = ()) -> list[Artifact]:
        """A run's artifacts in the order they were planned, whichever was finished first."""
        places = {task["expected_artifact"]: place for place, task in enumerate(plan)}
        rows = self._file.read(_READ, (run_id, "artifact"))
        found: list[Artifact] = [json.loads(body) for (body,) in rows]
        return sorted(found, key=lambda each: places.get(each["expected_artifact"], len(plan)))

    def run(self, run_id: str) -> ResearchRun:
        """One run by its id, or "last".

        Raises:
            UsageError: there is none, or it was kept in an earlier form.
        """
        found = (
            self._file.read(_NEWEST)
            if run_id == "last"
            else self._file.read(_READ, (run_id, "run"))
        )
        if not found:
            raise UsageError(f"{run_id!r} is no research run.", "'last' is the newest.")
        run: ResearchRun = json.loads(found[0][0])
        if run.get("form") != FORM:
            told = f"Research run {run_id!r} was kept by an earlier version, and cannot go on."
            raise UsageError(told, "Ask its question anew.")
        return run

    def _put(self, run_id: str, kind: Literal["run", "artifact"], name: str, body: object) -> None:
        with self._file.writing() as db:
            db.execute(_KEEP, (run_id, kind, name, time.time(), json.dumps(body)))
