import sqlite3
from pathlib import Path

from rag.research.journal import Journal, ResearchRun
from state.answer import NO_USAGE
from state.home_db import HOME_FILE


def started(journal: Journal, name: str) -> None:
    run: ResearchRun = {
        "id": name,
        "asked": "Why?",
        "question": "Why?",
        "flags": {},
        "usage": NO_USAGE,
        "state": "running",
        "escalation": None,
        "answer": None,
        "report": None,
    }
    journal.start(run)


def finished(journal: Journal, run: str) -> None:
    started(journal, run)
    journal.keep_plan(run, 1, ([], NO_USAGE))
    journal.change(run, state="finished", report={"report": run})


def kept(home: Path) -> dict[str, set[str]]:
    with sqlite3.connect(home / HOME_FILE) as db:
        return {
            kind: {row[0] for row in db.execute("select run from research where kind = ?", (kind,))}
            for kind in ("run", "plan")
        }


def test_finished_runs_are_bounded_by_number_and_what_can_go_on_stays(tmp_path: Path):
    with Journal(tmp_path, keep=2) as journal:
        started(journal, "0-waits")
        journal.change("0-waits", state="waiting", escalation="Which?")
        for number in range(5):
            finished(journal, f"{number}-done")
        assert journal.run("4-done")["report"] == {"report": "4-done"}
    left = {"0-waits", "3-done", "4-done"}
    assert kept(tmp_path) == {"run": left, "plan": left - {"0-waits"}}
