"""A research run from its question to its report, or to the question it needs answered.

It goes from boundary to boundary: each reflection ends one invocation of the graph and
leaves one checkpoint. Killed, interrupted or out of budget, it continues from the last one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

from rag.budget import Budget, BudgetSpent
from rag.engines.protocol import Contextualized
from rag.index.lock import write_lock
from rag.research.journal import Journal, Start
from rag.research.keeping import keep_trace, record_turn
from rag.research.local_researcher import Corrective, LocalResearcher
from rag.research.report import Report, make_report
from rag.research.research_dependencies import Emit, ResearchDependencies, open_parts
from rag.research.research_graph import checkpoint_name, to_boundary
from rag.research.researcher import Researcher
from rag.research.roles import ResearchOptions, kept_flags
from rag.session import Session, new_trace_id
from state.answer import Answer
from state.closing import Closing
from state.errors import StoreBusyError, UsageError
from state.research_events import ResearchEvent, ResearchStarted
from state.research_state import new_research
from state.settings import Settings
from state.shared_place import open_checkpoints, threads_place
from state.usage import NO_USAGE, add_usage

if TYPE_CHECKING:
    from state.checkpoints import Checkpoints


class Research(Closing):
    """Runs over one collection. `run_id` is the one worked on, None before
    there is one and once it is finished: nothing is left to resume.

    `researcher` stands in for the session's own.
    """

    def __init__(
        self,
        settings: Settings,
        options: ResearchOptions | None = None,
        notify: Callable[[str], None] = lambda _line: None,
        *,
        researcher: Researcher | None = None,
    ) -> None:
        self._settings = settings
        self._options = options or ResearchOptions()
        self._pool = self._options.pool()
        self._researcher = researcher
        self.run_id: str | None = None
        with ExitStack() as opened:
            self.session = opened.enter_context(Session(settings, notify))
            self._journal = opened.enter_context(
                Journal(settings.home, settings.research_keep, settings.research_days)
            )
            self._checkpoints: Checkpoints = opened.enter_context(
                open_checkpoints(settings.home, *threads_place(settings))
            )
            self._resources = opened.pop_all()

    def close(self) -> None:
        self._resources.close()

    def start(self, question: str, emit: Emit = lambda _event: None) -> Report:
        """A new run to its report; `emit` receives its events as they happen.

        Raises:
            CragError: the index, the engine or a store failed; `resume` goes on from there.
        """
        budget = Budget.start(self._settings)
        start: Start = {
            "asked": question,
            "question": question,
            "flags": kept_flags(self._settings),
            "roles": list(self._options.roles),
            "max_rounds": self._options.max_rounds,
            "usage": NO_USAGE,
        }
        made = self._contextualize(start, budget)
        run_id = new_trace_id()
        self._journal.start(run_id, start)
        return self._work(run_id, start, budget, emit, made=made)

    def resume(
        self, run_id: str, answer: str | None = None, emit: Emit = lambda _event: None
    ) -> Report:
        """A run taken up where it stood; `answer` is the person's, where it asked. A finished
        one gives its report again.

        Raises:
            UsageError: no such run, an answer it did not ask for, or none where it did.
            CragError: as `start`.
        """
        run = self._journal.run(run_id)
        if answer is not None and run["state"] != "waiting":
            raise UsageError(
                f"Run {run['id']} did not ask anything, or was answered already.",
                "Leave --answer out.",
            )
        if run["report"] is not None and run["state"] == "finished":
            return cast("Report", run["report"])
        if run["state"] == "waiting":
            if answer is None or not answer.strip():
                raise UsageError(
                    f"Run {run['id']} waits for an answer: {run['escalation']}",
                    f'Go on with --resume {run["id"]} --answer "…".',
                )
            run["answer"] = answer = answer.strip()
            self._journal.answered(run["id"], answer)
        budget = Budget.start(self._settings)
        return self._work(run["id"], run["start"], budget, emit, run["answer"])

    def _contextualize(self, start: Start, budget: Budget) -> Contextualized | None:
        """A follow-up on a thread becomes a question that stands alone before it is planned."""
        thread = self._settings.thread
        history = self.session.memory.history(thread) if thread is not None else []
        if not history:
            return None
        made = self.session.charged(budget).contextualize(start["asked"], history)
        start["question"] = made.question
        start["usage"] = add_usage(NO_USAGE, "contextualize", made.usage)
        return made

    def _work(
        self,
        run_id: str,
        start: Start,
        budget: Budget,
        emit: Emit,
        answer: str | None = None,
        made: Contextualized | None = None,
    ) -> Report:
        self.run_id = run_id
        events: list[ResearchEvent] = []

        def keep(event: ResearchEvent) -> None:
            events.append(event)
            emit(event)

        deps = self._dependencies(run_id, budget, keep)
        with self._alone(run_id):
            keep(self._started(run_id, start, deps))
            if made is not None:
                keep(
                    {
                        "event": "contextualized",
                        "standalone_question": made.question,
                        "reason": made.reason,
                    }
                )
                for line in made.warnings:
                    deps.warn(line)
            report = self._rounds(run_id, start, deps, answer)
            keep_trace(self.session, report, events)
            if report["escalation"] is not None:
                self._journal.wait(run_id, report["escalation"])
            elif not report["resumable"]:
                record_turn(self.session, report)
                self._journal.finish(run_id, dict(report))
                self._checkpoints.delete(checkpoint_name(run_id))
                self.run_id = None
        return report

    def _started(self, run_id: str, start: Start, deps: ResearchDependencies) -> ResearchStarted:
        return {
            "event": "research_started",
            "run_id": run_id,
            "started_at": round(time.time() - deps.at_ms() / 1000, 6),
            "question": start["asked"],
            "engine": self.session.engine.name,
            "model": self.session.engine.model,
            "collection": self.session.reader.name,
            "max_loops": self._settings.max_loops,
            "max_rounds": self._options.max_rounds,
            "k": self._settings.k,
            "grader": self._settings.grader.value,
            "roles": list(self._options.roles),
        }

    def _rounds(
        self, run_id: str, start: Start, deps: ResearchDependencies, answer: str | None
    ) -> Report:
        began = time.perf_counter()
        state = new_research(start["question"], run_id, start["usage"])
        ended: BudgetSpent | None = None
        waiting = False
        try:
            while state["decision"] != "end" and not waiting:
                state, waiting = to_boundary(self._checkpoints, state, deps, answer)
            if not waiting:
                state, _ = to_boundary(self._checkpoints, state, deps, None)  # it is written up
        except BudgetSpent as spent:
            ended = spent
        artifacts = self._journal.artifacts(run_id)
        if ended is not None and not any(artifact["findings"] for artifact in artifacts):
            raise ended
        return make_report(
            run_id,
            start,
            artifacts,
            not_found=open_parts(artifacts, state["closed"]),
            rounds=state["plans"],
            planning=state["usage"],
            seconds=time.perf_counter() - began,
            escalation=state["escalation"] if ended is None else None,
            warnings=self._journal.warnings(run_id),
            ended=ended,
        )

    def _alone(self, run_id: str) -> ExitStack:
        """One process a run: another would do the same subtasks again."""
        held = ExitStack()
        try:
            held.enter_context(
                write_lock(self._settings.home / "locks" / f"research-{run_id}.lock")
            )
        except StoreBusyError:
            raise StoreBusyError(
                f"Another process is working on research run {run_id}.", "Let it finish."
            ) from None
        return held

    def _dependencies(self, run_id: str, budget: Budget, emit: Emit) -> ResearchDependencies:
        session = self.session

        def ask(question: str) -> Answer:
            return session.ask(question, budget=budget, parent=run_id)

        def warn(line: str) -> None:
            if line not in self._journal.warnings(run_id):
                self._journal.warn(run_id, line)
                emit({"event": "warned", "line": line})

        return ResearchDependencies(
            researcher=self._researcher or _researcher(session, budget, ask),
            is_document=lambda source: session.reader.document(source) is not None,
            journal=self._journal,
            budget=budget,
            roles=self._pool,
            emit=emit,
            warn=warn,
            max_rounds=self._options.max_rounds,
        )


def _researcher(session: Session, budget: Budget, corrective: Corrective) -> Researcher:
    """The session's model, charging `budget`; rules for an engine that brings none."""
    if session.engine.model is not None:  # else it saves the imports
        from rag.engines.openai.openai_engine import OpenAIEngine
        from rag.research.model_researcher import ModelResearcher

        engine = session.charged(budget)
        if isinstance(engine, OpenAIEngine):
            return ModelResearcher(engine.chat, budget, session.reader)
    return LocalResearcher(session.reader, corrective)
