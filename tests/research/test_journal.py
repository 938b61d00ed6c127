import sqlite3
from itertools import product
from pathlib import Path

import pytest

from rag.research.journal import FORM, Journal, ResearchRun
from state.errors import UsageError
from state.graph_state import fresh
from state.home_db import HOME_FILE
from state.research_state import Artifact, new_research


def started(journal: Journal, name: str) -> None:
    journal.start(fresh(ResearchRun, id=name, form=FORM, state=new_research("Why?")))


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


@pytest.mark.parametrize("form", [None, [], FORM[1:]])
def test_a_run_that_was_kept_in_an_earlier_form_is_told_in_a_line(tmp_path: Path, form):
    with Journal(tmp_path) as journal:
        started(journal, "old")
        assert journal.run("last")["id"] == "old"
        journal.change("old", form=form)
        with pytest.raises(UsageError, match="kept by an earlier version"):
            journal.run("last")
