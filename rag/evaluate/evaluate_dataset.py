"""An evaluation from dataset to measurements: indexed once, resumable, deterministic by seed."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rag.evaluate.datasets import Dataset, Judgement, Query, sampled
from rag.evaluate.measure import Measurer, Sources
from rag.evaluate.measurements import Evaluation, Measurement, Progress
from rag.evaluate.prepare import code_fingerprint, fingerprint, prepare
from state.choices import EvaluationStage
from state.closing import Closing
from state.errors import StoreBusyError, UsageError
from state.settings import Settings

if TYPE_CHECKING:
    from rag.session import Session

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to evaluate and how far; `collection` is one that exists, instead of the dataset's."""

    stage: EvaluationStage = EvaluationStage.FULL
    limit: int | None = None
    seed: int = 0
    baseline: bool = False
    collection: str | None = None


def evaluate(
    dataset: Dataset, settings: Settings, plan: Plan, on: Progress, notify: Notify
) -> Evaluation:
    """Measure every query of the plan; what an interrupted run measured is not asked again.

    Raises:
        UsageError: the dataset has no documents, or none of those its queries name.
        SetupError: as opening the collection and the engine do.
        RemoteError: a model failed; what was measured so far is kept.
    """
    ready = prepare(dataset, settings, plan.collection, on, notify)
    run = _Run(dataset, plan, settings.home / "eval" / "runs", on, notify)
    queries = sampled(dataset.queries, plan.limit, plan.seed)
    judged = () if plan.stage is EvaluationStage.RETRIEVAL else _judged(dataset, plan)
    measured, config = run.measure(ready, queries, judged, "measure")
    baseline = None
    if plan.baseline:
        loopless = ready.model_copy(update={"max_loops": 0})
        baseline, _ = run.measure(loopless, queries, (), "measure without loops")
    return Evaluation(
        dataset=dataset.name,
        config={**config, "limit": plan.limit, "seed": plan.seed, "baseline": plan.baseline},
        seed=plan.seed,
        measurements=measured,
        baseline=baseline,
    )


def _judged(dataset: Dataset, plan: Plan) -> Sequence[list[Judgement]]:
    """The judgements of each query, of at most `limit` queries."""
    held: dict[str, list[Judgement]] = {}
    for judgement in dataset.judgements:
        held.setdefault(judgement.query.id, []).append(judgement)
    return sampled(list(held.values()), plan.limit, plan.seed)


@dataclass(frozen=True, slots=True)
class _Run:
    dataset: Dataset
    plan: Plan
    journals: Path
    on: Progress
    notify: Notify

    def measure(
        self,
        settings: Settings,
        queries: Sequence[Query],
        judged: Sequence[list[Judgement]],
        what: str,
    ) -> tuple[tuple[Measurement, ...], dict[str, Any]]:
        from rag.session import open_session

        with open_session(settings, self.notify, keep_traces=False) as session:
            config = self._config(session)
            names = [name for query in queries for name in query.relevant]
            names += [judgement.document for held in judged for judgement in held]
            sources = Sources(session.reader, names, self.dataset.files)
            self._check(sources, set(names))
            measurer = Measurer(
                session, sources, self.plan.stage, grade_queries=not self.dataset.judgements
            )
            if session.engine.model is None and queries:
                # What is imported and opened for a first question is no question's latency.
                measurer.query(queries[0])
            tasks: dict[str, Callable[[], Measurement]] = {
                query.id: partial(measurer.query, query) for query in queries
            }
            for held in judged:
                tasks[f"grading:{held[0].query.id}"] = partial(measurer.judgements, held)
            return self._work_off(tasks, config, what), config

    def _work_off(
        self, tasks: dict[str, Callable[[], Measurement]], config: dict[str, Any], what: str
    ) -> tuple[Measurement, ...]:
        key = fingerprint(
            {**config, "folder": self.dataset.folder.resolve(), "code": code_fingerprint()}
        )
        with Journal(self.journals / f"{key}.jsonl") as journal:
            done = len(tasks.keys() & journal.done.keys())
            if done:
                self.notify(f"{done:,} of {len(tasks):,} were measured by an interrupted run.")
            self.on(what, done, len(tasks))
            for name, task in tasks.items():
                if name not in journal.done:
                    journal.add(task())
                    done += 1
                    self.on(what, done, len(tasks))
            journal.finish()
            return tuple(journal.done[name] for name in tasks)

    def _config(self, session: Session) -> dict[str, Any]:
        """Everything a measurement depends on besides the query."""
        settings, reader = session.settings, session.reader
        engine = session.engine
        return {
            "stage": self.plan.stage.value,
            "engine": engine.name,
            "model": engine.model,
            "grade_model": settings.grade_model if engine.model else None,
            "grader": settings.grader.value if engine.model else "local",
            "verify": settings.verify.value,
            "embedder": str(reader.embedder.identity),
            "reranker": settings.reranker_model if settings.reranker_url else None,
            "k": settings.k,
            "max_loops": settings.max_loops,
            "max_tokens": settings.max_tokens,
            "max_cost": settings.max_cost,
            "timeout": settings.timeout,
            "temperature": settings.temperature,
            "collection": self.plan.collection,
            "documents": reader.document_count,
            "chunks": reader.chunk_count,
        }

    def _check(self, sources: Sources, names: set[str]) -> None:
        """A relevant document that does not exist can never be found: say so beforehand."""
        missing = sources.missing(names)
        if names and missing == names:
            raise UsageError(
                f"None of the documents that the queries of {self.dataset.name} call relevant "
                f"is in it, such as {min(missing)!r}.",
                "`relevant` holds ids of corpus.jsonl or paths below files/.",
            )
        if missing:
            self.notify(
                f"{len(missing):,} of {len(names):,} relevant documents are not in the corpus, "
                f"such as {min(missing)!r}; they count as not found."
            )


class Journal(Closing):
    """What an unfinished run measured already, by query id: one file a configuration, a line a
    query, removed when the run is done, so that a finished evaluation is measured anew.

    Raises:
        StoreBusyError: another process runs the same evaluation.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file = path.open("a+b")
        self.done: dict[str, Measurement] = {}
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise StoreBusyError(
                "Another process runs the same evaluation.", "Wait until it is done."
            ) from None
        self._file.seek(0)
        whole = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break  # the process was killed while it wrote this line
            measured = cast("Measurement", json.loads(line))
            self.done[measured["id"]] = measured
            whole += len(line)
        self._file.truncate(whole)

    def close(self) -> None:
        self._file.close()

    def add(self, measured: Measurement) -> None:
        self._file.write(json.dumps(measured).encode() + b"\n")
        self._file.flush()
        self.done[measured["id"]] = measured

    def finish(self) -> None:
        """Forget the run: it is complete and reported."""
        self._path.unlink(missing_ok=True)
