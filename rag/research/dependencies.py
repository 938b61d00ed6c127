"""What a research run is given besides its question: one frozen object, never stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.budget import Budget
from rag.index.protocol import CollectionReader
from rag.research.journal import Journal
from rag.research.protocol import Thinker
from rag.research.roles import Role
from state.answer import Answer

Corrective = Callable[[str], Answer]
"""One question through the corrective graph, with messages of its own; thread-safe."""

Tell = Callable[[dict[str, Any]], None]
"""Receives each event of a run, on the thread that runs it.

Not LangGraph's custom stream: that moves the nodes to other threads, where an interrupt
(Ctrl-C) has to wait for the subagents.
"""


@dataclass(frozen=True, slots=True)
class ResearchDependencies:
    """`folder` takes spilled files; `at_once` bounds the subtasks that run together."""

    thinker: Thinker
    corrective: Corrective
    reader: CollectionReader
    journal: Journal
    folder: Path
    budget: Budget
    roles: dict[str, Role]
    tell: Tell
    max_rounds: int = 5
    at_once: int = 4
