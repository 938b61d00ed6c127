"""What a research run is given besides its question: one frozen object, never stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rag.budget import Budget
from rag.index.protocol import CollectionReader
from rag.research.journal import Journal
from rag.research.local_researcher import LocalResearcher
from rag.research.researcher import Researcher, View
from rag.research.roles import MAX_ROUNDS, Role
from rag.research.virtual_files import summaries
from state.answer import Answer
from state.research_events import ResearchEvent
from state.research_state import Artifact, ResearchState

Corrective = Callable[[str], Answer]
"""One question through the corrective graph, with messages of its own; thread-safe."""

Emit = Callable[[ResearchEvent], None]
"""Receives each event of a run, on the thread that runs it.

Not LangGraph's custom stream: that moves the nodes to other threads, where an interrupt
(Ctrl-C) has to wait for the subagents.
"""


@dataclass(frozen=True, slots=True)
class ResearchDependencies:
    """`rules` take the place of a researcher whose reply is of no use; `warn` keeps a line for the
    report.
    """

    researcher: Researcher
    rules: LocalResearcher
    corrective: Corrective
    reader: CollectionReader
    journal: Journal
    budget: Budget
    roles: dict[str, Role]
    emit: Emit
    warn: Callable[[str], None]
    max_rounds: int = MAX_ROUNDS
    started: float = field(default_factory=time.perf_counter)

    def view(self, state: ResearchState, artifacts: Sequence[Artifact] = ()) -> View:
        return View(
            question=state["question"],
            roles=tuple(self.roles.values()),
            plan=state["plan"],
            files=summaries(state["files"]),
            artifacts=artifacts,
            leads=state["leads"],
            guidance=state["guidance"],
            reason=state["reason"],
            round=state["rounds"],
            last=state["rounds"] + 1 >= self.max_rounds,
        )

    def at_ms(self) -> float:
        """Milliseconds since the run was started or resumed."""
        return round((time.perf_counter() - self.started) * 1000, 3)
