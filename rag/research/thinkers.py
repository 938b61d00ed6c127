"""Which thinker a run has: the session's model where there is one, else rules."""

from __future__ import annotations

from rag.budget import Budget
from rag.research.thinker import Thinker
from rag.session import Session


def build_thinker(session: Session, budget: Budget, rules: Thinker) -> Thinker:
    """A thinker charging `budget`, or the rules."""
    if session.engine.model is None:
        return rules
    from rag.engines.openai.engine import OpenAIEngine
    from rag.engines.openai.research import ModelThinker

    engine = session.charged(budget)
    assert isinstance(engine, OpenAIEngine), "the engine with a model is this one"
    return ModelThinker(engine.chat, budget)
