"""Which thinker a run has: the session's model where there is one, else rules."""

from __future__ import annotations

from rag.budget import Budget
from rag.engines.local.engine import LocalEngine
from rag.research.local_thinker import LocalThinker
from rag.research.protocol import Thinker
from rag.session import Session


def build_thinker(session: Session, budget: Budget) -> Thinker:
    """A thinker charging `budget`."""
    if session.engine.model is None:
        return LocalThinker(LocalEngine(session.reader))
    from rag.engines.openai.engine import OpenAIEngine
    from rag.engines.openai.research import ModelThinker

    engine = session.charged(budget)
    assert isinstance(engine, OpenAIEngine), "the engine with a model is this one"
    return ModelThinker(engine.chat, budget)
