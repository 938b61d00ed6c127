"""A research run from its question to its report, or to the question it needs answered.

It goes from boundary to boundary: each reflection ends one invocation of the graph and
leaves one checkpoint. Killed, interrupted or out of budget, it continues from the last one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, cast

from langgraph.types import Command

from rag.budget import Budget, BudgetSpent
from rag.research.dependencies import ResearchDependencies
from rag.research.graph import compile_research
from rag.research.journal import Journal, Run
from rag.research.report import make_report
from rag.research.roles import MAX_ROLES, MIN_ROLES, ROLES, Role
from rag.research.thinkers import build_thinker
from rag.session import Session, new_trace_id
from state.checkpoints import open_checkpoints
from state.errors import UsageError
from state.research_state import ResearchState, new_research
from state.settings import Settings

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from state.checkpoints import Checkpoints

MAX_ROUNDS = 5
STEPS_PER_PASS = 12


@dataclass(frozen=True, slots=True)
class ResearchOptions:
    """`roles` are names of the pool; `max_rounds` reflections a question at most."""

    roles: tuple[str, ...] = tuple(ROLES)
    max_rounds: int = MAX_ROUNDS

    def pool(self) -> dict[str, Role]:
        """The roles that may work.

        Raises:
            UsageError: an unknown role, too few or too many, or none that searches.

        """
        unknown = [name for name in self.roles if name not in ROLES]
        if unknown:
            raise UsageError(f"There is no role {unknown[0]!r}.", f"There are: {', '.join(ROLES)}.")
        pool = {name: ROLES[name] for name in dict.fromkeys(self.roles)}
        if not MIN_ROLES <= len(pool) <= MAX_ROLES:
            raise UsageError(f"A run needs {MIN_ROLES} to {MAX_ROLES} roles, not {len(pool)}.")
        if not any(role.searches for role in pool.values()):
            raise UsageError("A run needs the role searcher, which finds the evidence.")
        return pool


class Research:
    """Runs over one collection; a context manager. `events` is what was told so far."""

    def __init__(
        self,
        settings: Settings,
        options: ResearchOptions = ResearchOptions(),
        notify: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._settings = settings
        self._options = options
        self._pool = options.pool()
        self.events: list[dict[str, Any]] = []
        self._resources = ExitStack()
        self._session = self._resources.enter_context(Session(settings, notify, keep_traces=False))
        self._journal = self._resources.enter_context(Journal(settings.home))
        self._checkpoints: Checkpoints = self._resources.enter_context(
            open_checkpoints(settings.home, settings.threads)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._resources.close()

    @property
    def session(self) -> Session:
        return self._session

    def start(self, question: str) -> Iterator[dict[str, Any]]:
        """A new run, as events; the last is its report."""
        run_id = new_trace_id()
        self._journal.start(run_id, question, {"collection": self._settings.collection})
        yield from self._go_on(run_id, question, None)

    def resume(self, run_id: str, answer: str | None = None) -> Iterator[dict[str, Any]]:
        """A run taken up where it stood; `answer` is the person's, where it asked.

        Raises:
            UsageError: no such run, an answer it did not ask for, or none where it did.

        """
        run = self._journal.run(run_id)
        if run["report"] is not None and run["state"] == "finished":
            yield {"event": "report", "report": run["report"]}
            return
        self._check_answer(run, answer)
        if answer is not None:
            self._journal.go_on(run["id"])
        yield from self._go_on(run["id"], run["question"], answer)

    def _check_answer(self, run: Run, answer: str | None) -> None:
        if run["state"] == "waiting" and answer is None:
            raise UsageError(
                f"The run waits for an answer: {run['escalation']}",
                f'Go on with --resume {run["id"]} --answer "…".',
            )
        if run["state"] != "waiting" and answer is not None:
            raise UsageError("The run did not ask anything.", "Leave --answer out.")

    def _go_on(self, run_id: str, question: str, answer: str | None) -> Iterator[dict[str, Any]]:
        started = {"event": "research_started", "run_id": run_id, "question": question}
        self.events.append(started)
        yield started
        for event in self._rounds(run_id, question, answer):
            if event["event"] != "report":
                self.events.append(event)
            yield event

    def _rounds(self, run_id: str, question: str, answer: str | None) -> Iterator[dict[str, Any]]:
        began = time.perf_counter()
        deps = self._dependencies()
        state = new_research(question, run_id)
        warnings: list[str] = []
        try:
            waiting = False
            while state["decision"] != "end" and not waiting:
                state, waiting = yield from self._pass(state, deps, answer)
                answer = None
        except BudgetSpent as spent:
            warnings.append(str(spent))
        report = make_report(
            run_id,
            question,
            self._journal.artifacts(run_id),
            rounds=state["rounds"],
            planning=state["usage"],
            seconds=time.perf_counter() - began,
            escalation=state["escalation"],
            warnings=warnings,
        )
        if report["escalation"] is not None:
            self._journal.wait(run_id, report["escalation"])
        elif not warnings:
            self._journal.finish(run_id, dict(report))
        yield {"event": "report", "report": report}

    def _pass(
        self, state: ResearchState, deps: ResearchDependencies, answer: str | None
    ) -> Generator[dict[str, Any], None, tuple[ResearchState, bool]]:
        """To the next boundary; returns the state there, and whether it waits for the person."""
        name = f"research:{state['run_id']}"
        config: RunnableConfig = {
            "recursion_limit": STEPS_PER_PASS,
            "configurable": {"thread_id": name},
        }
        with self._checkpoints.turn(name) as saver:
            graph = compile_research(saver)
            kept = graph.get_state(config)
            if kept.values:
                state = cast("ResearchState", kept.values)
                if not kept.next:
                    return state, False
                if kept.interrupts and answer is None:
                    return state, True
            entry: Any = state if not kept.values else None
            if kept.interrupts:
                entry = Command(resume=answer)
            waiting = False
            for part in graph.stream(
                entry,
                config,
                context=deps,
                stream_mode=["custom", "values"],
                durability="exit",
                version="v2",
            ):
                if part["type"] == "custom":
                    yield part["data"]
                elif part["type"] == "values":
                    state = part["data"]
                    waiting = bool(part["interrupts"])
        return state, waiting

    def _dependencies(self) -> ResearchDependencies:
        budget = Budget.start(self._settings)
        return ResearchDependencies(
            thinker=build_thinker(self._session, budget),
            corrective=lambda question: self._session.ask(question, budget=budget),
            reader=self._session.reader,
            journal=self._journal,
            folder=self._settings.home / "research",
            budget=budget,
            roles=self._pool,
            max_rounds=self._options.max_rounds,
        )
