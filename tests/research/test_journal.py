import sqlite3
from itertools import product
from pathlib import Path

from rag.research.journal import Journal, ResearchRun
from state.graph_state import fresh
from state.home_db import HOME_FILE
from state.research_state import Artifact, new_research


def started(journal: Journal, name: str) -> None:
    run: ResearchRun = {
        "id": name,
        "asked": "Why?",
        "flags": {},
        "state": new_research("Why?"),
        "report": None,
    }
    journal.start(run)


def test_finished_runs_are_bounded_by_number_and_what_can_go_on_stays(tmp_path: Path):
    with Journal(tmp_path, keep=2) as journal:
        started(journal, "0-waits")
        for done in (f"{number}-done" for number in range(5)):
            started(journal, done)
            journal.keep(done, fresh(Artifact, status="done"))
            journal.change(done, report={"report": done})
        assert journal.run("4-done")["report"] == {"report": "4-done"}
    with sqlite3.connect(tmp_path / HOME_FILE) as db:
        kept = set(db.execute("select run, kind from research"))
    assert kept == {("0-waits", "run"), *product(("3-done", "4-done"), ("run", "artifact"))}
