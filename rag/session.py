"""A session opens what its settings name once and runs each question as a turn of the graph."""

from __future__ import annotations

import secrets
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from rag.budget import Budget
from rag.dependencies import Dependencies, new_answer
from rag.engines.local.engine import LocalEngine
from rag.index.protocol import Notice
from rag.opening import build_engine, engine_notice, open_reader
from rag.reading.reranker import Reranker
from rag.turn_run import failed_event, run_turn
from state.answer import FAILED, Answer
from state.background import Cancellation
from state.closing import Closing, closed_on_failure
from state.errors import CragError
from state.passages import HistoryTurn
from state.settings import Settings
from state.trace_store import TraceStore

if TYPE_CHECKING:
    from rag.dependencies import SearchMore
    from rag.memory import ThreadMemory
    from state.events import Event, RunStarted, TurnStarted


def new_trace_id() -> str:
    """An id that sorts by time and is short enough to type: 20261121-224501-3fa9c1."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


class Session(Closing):
    """Holds the collection that `settings` name, an engine and, once a thread is named, its memory.

    Use as a context manager. `ask` runs a turn to its end; `stream` yields its events.
    Without `keep_traces` (an evaluation's thousand questions) no trace is stored.

    Raises:
        NoIndexError, UsageError, EmbedderMismatchError, SettingsError: as they are set up.
    """

    def __init__(
        self, settings: Settings, notify: Notice = lambda _line: None, *, keep_traces: bool = True
    ) -> None:
        self.settings = settings
        self._keep_traces = keep_traces
        self.notify = notify
        # Kept open: closing an SQLite file as its last user writes it a second time.
        self._traces = self._held.enter_context(TraceStore(settings))
        with closed_on_failure(self):
            self.reader = self._held.enter_context(open_reader(settings, notify))
            self.reranker = Reranker(settings.home)
            local = LocalEngine(self.reader, self.reranker)
            self.engine = build_engine(settings, local)
            self._held.callback(self.engine.close)
            if told := engine_notice(settings):
                notify(told)
            self._web: SearchMore | None = None
            if settings.web:
                from rag.web import open_web

                self._web = open_web(settings)

    @cached_property
    def memory(self) -> ThreadMemory:
        """The threads' stores, opened when first needed."""
        from rag.memory import ThreadMemory

        return self._held.enter_context(ThreadMemory(self.settings))

    def ask(
        self,
        question: str,
        *,
        thread: str | None = None,
        history: Sequence[HistoryTurn] | None = None,
        budget: Budget | None = None,
    ) -> Answer:
        """Run a turn and return its answer; raises as `stream`. Thread-safe without a `thread`."""
        turn = self.stream(question, thread=thread, history=history, budget=budget)
        # Read to its end: the turn's checkpoint is kept after the answer.
        (answer,) = [event["answer"] for event in turn if event["event"] == "answer"]
        return answer

    def stream(
        self,
        question: str,
        *,
        thread: str | None = None,
        history: Sequence[HistoryTurn] | None = None,
        pin: bool = False,
        budget: Budget | None = None,
        cancel: Cancellation | None = None,
    ) -> Generator[Event]:
        """Run one turn and yield its events, the answer last.

        `budget` stands in for the settings' own, where several questions share one.
        `history` stands in for a thread's own, oldest turn first. Whatever ends the turn
        early (an error, Ctrl-C, `cancel`, a closed iterator) leaves the thread as it was.

        Raises:
            CragError: the index, the engine or a store failed.
        """
        cancel = cancel or Cancellation()
        budget = budget or Budget.start(self.settings)
        deps = Dependencies(
            settings=self.settings,
            reader=self.reader,
            reranker=self.reranker,
            engine=self.engine.for_question(budget),
            search_web=self._web,
            trace_id=new_trace_id(),
        )
        if thread is not None:
            deps = self._on_thread(deps, thread, cancel, pin=pin)
        if history is not None:
            deps = replace(deps, history=lambda _known: history)
        started: TurnStarted = {
            "event": "turn_started",
            **self.run_started(question, deps.started),
            "trace_id": deps.trace_id,
            "thread": thread,
            "verify": self.settings.verify.value,
            "web": self.settings.web,
        }
        saver = None if thread is None else self.memory.checkpoints.turn(thread)
        events: list[Event] = [started]
        answer: Answer | None = None
        yield started
        try:
            for event in run_turn(question, deps, saver, cancel, budget):
                if event["event"] == "answer":
                    answer = event["answer"]
                elif event["event"] != "token":
                    events.append(event)
                yield event
        except Exception as error:
            failed = failed_event(error, events)
            events.append(failed)
            if answer is None:  # for the trace
                told, run = {"status": FAILED}, deps.trace_id
                answer = new_answer(question, self.engine, self.settings, thread, run, told)
            yield failed
            raise
        finally:
            if answer is not None and self._keep_traces:
                self.keep_trace(events, answer)

    def run_started(self, question: str, began: float) -> RunStarted:
        """How a run is set up that `began` at this time of time.perf_counter."""
        return {
            "started_at": round(time.time() - (time.perf_counter() - began), 6),
            "question": question,
            "engine": self.engine.name,
            "model": self.engine.model,
            "collection": self.reader.name,
            "max_loops": self.settings.max_loops,
            "k": self.settings.k,
            "grader": self.settings.grader.value,
        }

    def _on_thread(
        self, deps: Dependencies, thread: str, cancel: Cancellation, *, pin: bool
    ) -> Dependencies:
        """The dependencies with the thread's history; a turn is recorded unless `cancel` is set."""
        memory, asked = self.memory, self.reader.name

        def record(answer: Answer) -> int:
            append = partial(memory.store.append, thread, answer, milestone=pin, collection=asked)
            return cancel.unless_cancelled(append)

        return replace(
            deps,
            thread=thread,
            history=lambda known: memory.history(thread, known),
            pin=pin,
            record=record,
        )

    def keep_trace(self, events: Sequence[Mapping[str, Any]], answer: Answer) -> None:
        """Stores a trace. A failure to is only reported: it costs nobody the answer."""
        try:
            self._traces.keep(answer["trace_id"], events, answer)
        except CragError as error:
            self.notify(f"The trace was not kept: {error}")


open_session = Session
