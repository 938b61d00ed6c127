from __future__ import annotations

from typing import cast

from rag.engines.local.engine import LocalEngine
from rag.engines.protocol import Engine
from rag.index.protocol import CollectionReader


def test_the_local_engine_has_a_name_and_no_model():
    engine: Engine = LocalEngine(cast("CollectionReader", None))
    assert (engine.name, engine.model) == ("local", None)
