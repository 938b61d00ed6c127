"""A research run from its question to its report, or to the question it needs answered.

It goes from boundary to boundary: what each plan and each reflection made of its state is kept.
Killed, interrupted or out of budget, it continues from the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from rag.budget import Budget, BudgetSpent, add_calls, record_calls
from rag.dependencies import new_answer
from rag.index.home.lock import write_lock
from rag.research.journal import FORM, Journal, ResearchRun
from rag.research.local_researcher import LocalResearcher
from rag.research.report import Report, make_report
from rag.research.researcher import Emit, ResearchDependencies, Researcher
from rag.research.rounds import run_rounds
from rag.session import Session, new_trace_id
from state.answer import NO_USAGE, Answer
from state.closing import Closing, closed_on_failure
from state.errors import UsageError
from state.research_state import ResearchEvent, new_research
from state.settings import Settings

_KEPT = {"collection", "engine", "model", "k", "max_loops", "grader", "thread"}
"""The settings that a resumed run takes over from its start; never a key or a URL."""


class Research(Closing):
    """Research runs over one collection. `run_id` is that of the run that is worked on, and None
    before there is one and once it is finished, as nothing is left to resume.

    `researcher` stands in for the session's own.
    """

    def __init__(
        self,
        settings: Settings,
        notify: Callable[[str], None] = lambda _line: None,
        *,
        researcher: Researcher | None = None,
    ) -> None:
        self._settings = settings
        self._researcher = researcher
        self.run_id: str | None = None
        with closed_on_failure(self):
            self.session = self._held.enter_context(Session(settings, notify))
            self._journal = Journal(settings.home, settings.research_keep)
            self._held.enter_context(self._journal)

    def start(self, question: str, emit: Emit = lambda _event: None) -> Report:
        """Take a new run to its report; `emit` receives its events as they happen.

        Raises:
            CragError: the index, the engine or a store failed; `resume` goes on from there.
        """
        budget, thread = Budget.start(self._settings), self._settings.thread
        history = self.session.memory.history(thread) if thread is not None else ()
        with record_calls() as calls:
            made = self.session.engine.for_question(budget).contextualize(question, history)
        usage = add_calls(NO_USAGE, "contextualize", calls)
        run: ResearchRun = {
            "id": new_trace_id(),
            "form": FORM,
            "asked": question,
            "flags": self._settings.model_dump(mode="json", include=_KEPT, exclude_none=True),
            "state": new_research(made.question, usage, made.warnings),
            "report": None,
        }
        self._journal.start(run)
        return self._work(run, budget, emit)

    def resume(
        self, run_id: str, answer: str | None = None, emit: Emit = lambda _event: None
    ) -> Report:
        """Take up a run where it stood; `answer` is the person's, if the run asked. A finished run
        returns its report again.

        Raises:
            UsageError: no such run, an answer it did not ask for, or none where it did.
            CragError: as `start`.
        """
        run = self._journal.run(run_id)
        state = run["state"]
        waits_for = state["escalation"]
        if answer is not None and waits_for is None:
            told = f"Run {run['id']} did not ask anything, or was answered already."
            raise UsageError(told, "Leave --answer out.")
        if run["report"] is not None:
            return cast("Report", run["report"])
        if waits_for is not None:
            if answer is None or not (said := answer.strip()):
                told = f"Run {run['id']} waits for an answer: {waits_for}"
                raise UsageError(told, f'Go on with --resume {run["id"]} --answer "…".')
            state = {**state, "guidance": [*state["guidance"], said], "leads": [said]}
            run["state"] = {**state, "escalation": None, "rounds": 0, "decision": None}
            self._journal.change(run["id"], state=run["state"])
        return self._work(run, Budget.start(self._settings), emit)

    def _work(self, run: ResearchRun, budget: Budget, emit: Emit) -> Report:
        self.run_id = run["id"]
        events: list[ResearchEvent] = []

        def keep(event: ResearchEvent) -> None:
            events.append(event)
            emit(event)

        researcher = self._researcher or self._own_researcher(budget)
        deps = ResearchDependencies(run["id"], researcher, self._journal, keep)
        # Two processes on one run would do the same subtasks twice.
        lock = self._settings.home / "locks" / f"research-{run['id']}.lock"
        with write_lock(lock, f"working on research run {run['id']}"):
            how = self.session.run_started(run["asked"], deps.started)
            keep({"event": "research_started", "run_id": run["id"], **how})
            report = self._rounds(run, deps)
            self.session.keep_trace(events, self._as_answer(report))
            if not report["resumable"]:
                self._record_turn(report)
                state = {**run["state"], "files": {}}
                self._journal.change(run["id"], report=report, state=state)
                self.run_id = None
        return report

    def _rounds(self, run: ResearchRun, deps: ResearchDependencies) -> Report:
        ended: BudgetSpent | None = None
        try:
            state = run_rounds(run["state"], deps)
        except BudgetSpent as spent:
            ended = spent
            state = self._journal.run(run["id"])["state"]
        artifacts = self._journal.artifacts(run["id"], state["plan"])
        if ended is not None and not any(artifact["findings"] for artifact in artifacts):
            raise ended
        return make_report(run, state, artifacts, seconds=deps.at_ms() / 1000, ended=ended)

    def _own_researcher(self, budget: Budget) -> Researcher:
        """The session's model, charging `budget`, or code if the engine has no model."""
        session, engine = self.session, self.session.engine
        if engine.model is not None:  # else it saves the imports
            from rag.engines.openai.openai_engine import OpenAIEngine
            from rag.research.model_researcher import ModelResearcher

            if isinstance(engine, OpenAIEngine):
                return ModelResearcher(engine.chat, budget, session.reader)
        return LocalResearcher(lambda question: session.ask(question, budget=budget))

    def _record_turn(self, report: Report) -> None:
        """Append the report to the run's thread, once even if the run is killed right after."""
        thread = self._settings.thread
        if thread is None:
            return
        store = self.session.memory.store
        newest = store.newest(thread)
        if newest is None or newest.answer["trace_id"] != report["run_id"]:
            name = self.session.reader.name
            store.append(thread, self._as_answer(report), collection=name)

    def _as_answer(self, report: Report) -> Answer:
        """The report as an Answer, whose text is the whole Markdown."""
        session, thread = self.session, self._settings.thread
        told = {
            **report,
            "status": "partial" if report["status"] == "waiting" else report["status"],
            "answer": report["report"],
            "timings_ms": {"total": report["seconds"] * 1000},
            "turn": 1 if thread is None else session.memory.store.last_turn(thread) + 1,
        }
        asked, run_id = report["question"], report["run_id"]
        return new_answer(asked, session.engine, self._settings, thread, run_id, told)
