"""A store of either kind, new for each test."""

import pytest
from shared_stores import new_store

from rag.index.home.store import HomeStore
from rag.index.store import Store


@pytest.fixture(params=["home", "postgres"])
def store(request, tmp_path) -> Store:
    if request.param == "home":
        return HomeStore(tmp_path / "home")
    return new_store(request.getfixturevalue("postgres").url)
