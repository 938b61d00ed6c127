"""Grades in a shared store: several threads keep and read them at once over one connection."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from shared_stores import fill, new_store

KEYS = [f"{n:064x}" for n in range(200)]


@pytest.fixture
def grades(postgres):
    store = new_store(postgres.url)
    fill(store, {"a.md": "The motor runs."})
    with closing(store.grades()) as grades:
        yield grades


def test_threads_share_one_connection(grades):
    def put(keys):
        for key in keys:
            grades.put({key: "x"})

    def get(_worker):
        for _ in range(100):
            grades.get(KEYS)

    with ThreadPoolExecutor(5) as workers:
        done = [*workers.map(get, range(3)), *workers.map(put, (KEYS[:100], KEYS[100:]))]
    assert len(done) == 5
    assert set(grades.get(KEYS)) == set(KEYS)
