"""An interrupted evaluation goes on where it was, whatever instant it died at."""

from __future__ import annotations

import pytest
from evaluation_samples import measurement
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluate.evaluate_dataset import Journal
from rag.evaluate.prepare import fingerprint
from state.errors import StoreBusyError


def test_what_was_measured_is_there_again_and_gone_when_finished(tmp_path):
    path = tmp_path / "runs" / "x.jsonl"
    with Journal(path) as journal:
        journal.add(measurement(id="a"))
        journal.add(measurement(id="b"))
    with Journal(path) as journal:
        assert list(journal.done) == ["a", "b"]
        assert journal.done["a"] == measurement(id="a")
        journal.finish()
    with Journal(path) as journal:
        assert journal.done == {}


@given(st.data())
def test_a_file_cut_at_any_byte_keeps_its_whole_lines_and_takes_more(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("runs") / "x.jsonl"
    with Journal(path) as journal:
        for name in ("a", "b", "c"):
            journal.add(measurement(id=name))
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    with Journal(path) as journal:
        assert len(journal.done) == whole[:cut].count(b"\n")
        journal.add(measurement(id="new"))
    with Journal(path) as journal:
        assert list(journal.done)[-1] == "new"


def test_two_runs_of_the_same_configuration_do_not_write_one_journal(tmp_path):
    path = tmp_path / "x.jsonl"
    with Journal(path), pytest.raises(StoreBusyError, match="same evaluation"), Journal(path):
        pass


def test_a_fingerprint_is_of_the_content_not_of_the_order():
    assert fingerprint({"a": 1, "b": None}) == fingerprint({"b": None, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})
