"""Which researcher a run has: the session's model where there is one, else rules."""

from __future__ import annotations

from rag.budget import Budget
from rag.research.researcher import Researcher
from rag.session import Session


def choose_researcher(session: Session, budget: Budget, rules: Researcher) -> Researcher:
    """A researcher charging `budget`, or the rules."""
    if session.engine.model is None:
        return rules
    from rag.engines.openai.engine import OpenAIEngine
    from rag.engines.openai.research import ModelResearcher

    engine = session.charged(budget)
    assert isinstance(engine, OpenAIEngine), "the engine with a model is this one"
    return ModelResearcher(engine.chat, budget)
