"""How many processors are used, on systems that count them differently."""

import os

import pytest

from state.cores import usable_cores


def test_where_no_affinity_is_known_all_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.delattr(os, "sched_getaffinity")
    assert usable_cores() == os.cpu_count()
