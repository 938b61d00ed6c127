from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ingest_runs import Library
from turn_samples import make_answer

from cli.options import complete_collection, complete_thread, complete_trace
from state.shared_place import open_turn_store
from state.trace_store import TraceStore


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CRAG_HOME", str(tmp_path))
    return tmp_path


def test_an_empty_home_offers_nothing_and_makes_nothing(home: Path):
    assert complete_collection("") == []
    assert complete_thread("") == []
    assert complete_trace("x") == []
    assert list(home.iterdir()) == []


def test_threads_and_traces_are_offered_newest_first(home: Path):
    with open_turn_store(home) as turns:
        turns.append("railway", make_answer())
        turns.append("museum", make_answer())
    with TraceStore(home) as traces:
        traces.keep("20260101-000000-aaaaaa", [], make_answer())
    assert complete_thread("") == ["museum", "railway"]
    assert complete_thread("r") == ["railway"]
    assert complete_trace("") == ["last", "20260101-000000-aaaaaa"]


def test_another_collection_is_completed(home: Path):
    Library(home, collection="minutes").ingest(Path(__file__))
    assert complete_collection("min") == ["minutes"]


def test_a_damaged_store_offers_nothing(home: Path):
    (home / "catalog.sqlite").write_bytes(b"rubbish" * 1000)
    assert complete_collection("") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script(shell: str):
    done = subprocess.run(
        [sys.executable, "-m", "cli"],
        env={"_CRAG_COMPLETE": f"source_{shell}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0
    assert "_CRAG_COMPLETE" in done.stdout
