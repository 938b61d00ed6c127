"""What a research run is given besides its question: one frozen object, never stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rag.budget import Budget
from rag.research.journal import Journal
from rag.research.researcher import Researcher, View
from rag.research.roles import MAX_ROUNDS, Role
from rag.research.virtual_files import summaries
from state.research_events import ResearchEvent
from state.research_state import Artifact, ResearchState

Emit = Callable[[ResearchEvent], None]
"""Receives each event of a run, on the thread that runs it.

Not LangGraph's custom stream: that moves the nodes to other threads, where an interrupt
(Ctrl-C) has to wait for the subagents.
"""


@dataclass(frozen=True, slots=True)
class ResearchDependencies:
    """`is_document` tells the collection's sources from other names; `warn` keeps a line for the
    report.
    """

    researcher: Researcher
    is_document: Callable[[str], bool]
    journal: Journal
    budget: Budget
    roles: dict[str, Role]
    emit: Emit
    warn: Callable[[str], None]
    max_rounds: int = MAX_ROUNDS
    started: float = field(default_factory=time.perf_counter)

    def view(self, state: ResearchState, artifacts: Sequence[Artifact]) -> View:
        return View(
            question=state["question"],
            roles=tuple(self.roles.values()),
            plan=state["plan"],
            files=summaries(state["files"]),
            artifacts=artifacts,
            open=open_parts(artifacts, state["closed"]),
            leads=state["leads"],
            guidance=state["guidance"],
            reason=state["reason"],
            round=state["rounds"],
            last=state["rounds"] + 1 >= self.max_rounds,
        )

    def at_ms(self) -> float:
        """Milliseconds since the run was started or resumed."""
        return round((time.perf_counter() - self.started) * 1000, 3)


def open_parts(artifacts: Sequence[Artifact], closed: Sequence[str]) -> list[str]:
    """What was looked for in vain and not found since, each once, in order."""
    missing = (part for artifact in artifacts for part in artifact["missing"])
    return [part for part in dict.fromkeys(missing) if part not in closed]
