from __future__ import annotations

import sqlite3
from pathlib import Path

from rag.research.journal import Journal, Start
from state.answer import NO_USAGE
from state.home_db import HOME_FILE

START: Start = {
    "asked": "Why?",
    "question": "Why?",
    "flags": {},
    "max_rounds": 1,
    "usage": NO_USAGE,
}


def finished(journal: Journal, run: str) -> None:
    journal.start(run, START)
    journal.keep_plan(run, 1, [], {**NO_USAGE})
    journal.warn(run, "careful")
    journal.change(run, state="finished", report={"report": run})


def kept(home: Path) -> dict[str, set[str]]:
    with sqlite3.connect(home / HOME_FILE) as db:
        return {
            kind: {row[0] for row in db.execute("select run from research where kind = ?", (kind,))}
            for kind in ("run", "plan", "warning")
        }


def older(journal: Journal, days: int) -> None:
    with journal._file.writing() as db:
        db.execute("update research set created_at = created_at - ? * 86400", (days,))


def test_finished_runs_are_bounded_by_number_and_what_can_go_on_stays(tmp_path: Path):
    with Journal(tmp_path, keep=2) as journal:
        journal.start("0-waits", START)
        journal.warn("0-waits", "careful")
        journal.change("0-waits", state="waiting", escalation="Which?")
        for number in range(5):
            finished(journal, f"{number}-done")
        assert journal.run("4-done")["report"] == {"report": "4-done"}
    left = {"0-waits", "3-done", "4-done"}
    assert kept(tmp_path) == {"run": left, "plan": left - {"0-waits"}, "warning": left}


def test_finished_runs_are_bounded_by_days_of_use_and_not_by_a_jump_of_the_clock(tmp_path: Path):
    with Journal(tmp_path, days=30) as journal:
        finished(journal, "old")
        journal.start("old-unfinished", START)
        older(journal, 20)
        finished(journal, "middle")
        older(journal, 20)
        finished(journal, "new")
    left = {"old-unfinished", "middle", "new"}
    assert kept(tmp_path)["run"] == left
    with Journal(tmp_path, days=30) as journal:
        older(journal, 80 * 365)
        finished(journal, "newest")
    assert kept(tmp_path)["run"] == {*left, "newest"}
