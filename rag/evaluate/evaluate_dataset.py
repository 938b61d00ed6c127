"""An evaluation, from a dataset to its report: indexed once for its content and settings, below
CRAG_HOME/eval; deterministic by seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import count, islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from rag.documents.cleaning import clean
from rag.documents.stream import Part
from rag.embed.builtin import builtin_embedder
from rag.evaluate.datasets import CorpusDocument, Dataset, Query, read_rows, sample
from rag.evaluate.measure import GradedPair, Measurement, Measurer
from rag.evaluate.report import build_report
from rag.index.protocol import DocumentPart, IndexedDocument, Notice
from rag.index.writer import CollectionWriter
from rag.ingest.file_text import READER_VERSION
from rag.ingest.sync import ingest
from rag.opening import store_of
from rag.text.chunk import chunk_parts
from state.choices import EvaluationStage
from state.errors import UsageError
from state.extras import package_version
from state.settings import Settings
from state.wording import shorten

if TYPE_CHECKING:
    from rag.session import Session

Progress = Callable[[str, int, int | None], None]
"""Receives a step (such as "index"), how many are done, and of how many, None if unknown."""
_TOGETHER = 256
_TOLD = {
    *("grader", "verify", "k", "max_loops"),
    *("max_tokens", "max_cost", "timeout", "temperature"),
}


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What to evaluate and how far; `collection` is an existing one to use for the dataset."""

    stage: EvaluationStage = EvaluationStage.FULL
    limit: int | None = None
    seed: int = 0
    baseline: bool = False
    collection: str | None = None


def evaluate(
    dataset: Dataset, settings: Settings, plan: EvaluationPlan, on: Progress, notify: Notice
) -> dict[str, Any]:
    """The object that `crag eval --json` prints: every query of the plan measured.

    Raises:
        UsageError: the dataset has no documents, or none of those its queries name.
        SetupError: as opening the collection and the engine do.
        RemoteError: a model failed.
    """
    from rag.session import open_session

    ready = _prepare(dataset, settings, plan.collection, on, notify)
    queries = sample(dataset.queries, plan.limit, plan.seed)
    judged: list[GradedPair] = []
    with open_session(ready, notify, keep_traces=False) as session:
        measurer = _measurer(dataset, plan, session, notify)
        measured = _measured(measurer, queries, on, "measure")
        if plan.stage is not EvaluationStage.RETRIEVAL:
            questions = sample(list(dataset.judged), plan.limit, plan.seed)
            for done, question in enumerate(questions, 1):
                judged += measurer.judged(question, dataset.judged[question])
                on("grade", done, len(questions))
        config = _config(session, plan)
    baseline = None
    if plan.baseline:
        loopless = ready.model_copy(update={"max_loops": 0})
        with open_session(loopless, keep_traces=False) as session:
            measurer = replace(measurer, session=session)
            baseline = _measured(measurer, queries, on, "measure without loops")
    return build_report(dataset.name, config, measured, judged, baseline)


def _measured(
    measurer: Measurer, queries: Sequence[Query], on: Progress, what: str
) -> list[Measurement]:
    if measurer.session.engine.model is None and queries:
        # Imports and files that the first question opens are not part of its latency.
        measurer.query(queries[0])
    measured: list[Measurement] = []
    for done, query in enumerate(queries, 1):
        measured.append(measurer.query(query))
        on(what, done, len(queries))
    return measured


def _measurer(dataset: Dataset, plan: EvaluationPlan, session: Session, notify: Notice) -> Measurer:
    """The measurer of a session. Relevant documents that do not exist are reported first."""
    names = {name for query in dataset.queries for name in query.relevant}
    names = names.union(*dataset.judged.values())
    name_of = _naming(names, apart=plan.collection is not None)
    with store_of(session.settings).contents(session.reader.name) as held:
        missing = names - {name_of(document.source) for document in held.documents()}
    if names and missing == names:
        raise UsageError(
            f"None of the documents that the queries of {dataset.name} call relevant "
            f"is in it, such as {min(missing)!r}.",
            "`relevant` holds ids of corpus.jsonl or paths below files/.",
        )
    if missing:
        notify(
            f"{len(missing):,} of {len(names):,} relevant documents are not in the corpus, "
            f"such as {min(missing)!r}; they count as not found."
        )
    grades = plan.stage is not EvaluationStage.RETRIEVAL and not dataset.judged
    return Measurer(session, name_of, plan.stage, grade_queries=grades)


def _naming(names: Iterable[str], *, apart: bool) -> Callable[[str], str]:
    """A function from a source to the dataset's name of it, a document's id or its path below
    files/; the source itself where it has no other. In a collection `apart` from the dataset, which
    may have been read from another folder, the source need only end in the name.
    """
    known = {PurePath(name).parts: name for name in names}

    @cache
    def name_of(source: str) -> str:
        parts = PurePath(source).parts
        ends = (parts[start:] for start in range(len(parts) if apart else 1))
        return next((known[end] for end in ends if end in known), source)

    return name_of


def _config(session: Session, plan: EvaluationPlan) -> dict[str, Any]:
    """Everything that a figure depends on besides the dataset."""
    reader, engine = session.reader, session.engine
    return {
        **session.settings.model_dump(mode="json", include=_TOLD),
        "engine": engine.name,
        "model": engine.model,
        "embedder": str(builtin_embedder().identity),
        "documents": reader.document_count,
        "chunks": reader.chunk_count,
        **asdict(plan),
    }


def _prepare(
    dataset: Dataset, settings: Settings, collection: str | None, on: Progress, notify: Notice
) -> Settings:
    """Settings whose collection is the dataset's index, which is made if need be.

    With `collection` that one is used as it is.

    Raises:
        UsageError: the dataset has no documents of its own and no collection was named.
    """
    if collection is not None:
        return settings.model_copy(update={"collection": collection, "thread": None})
    if dataset.documents is None:
        raise UsageError(
            f"{dataset.folder} has neither corpus.jsonl nor files/.",
            "Name a collection that holds its documents with --collection.",
        )
    key = _fingerprint(dataset.documents, settings)
    home = settings.home / "eval" / "indexes" / key
    ready = settings.model_copy(update={"home": home, "collection": f"eval-{key}", "thread": None})
    finished = home / "documents"
    if dataset.documents.is_dir():
        _index_files(dataset.documents, ready, on, notify)
    elif not finished.is_file():
        with store_of(ready).open_writer(ready.collection, notify) as writer:
            _index_corpus(read_rows(dataset.documents, CorpusDocument), writer, on)
        home.mkdir(parents=True, exist_ok=True)  # with a shared store it does not exist yet
        finished.touch()
    return ready


def _fingerprint(documents: Path, settings: Settings) -> str:
    """A hash of a corpus, or of a folder's path, and of all else that the index depends on."""
    release = package_version("crag-cli", "source")
    path, identity = str(documents.resolve()), str(builtin_embedder().identity)
    named = (path, identity, settings.store, READER_VERSION, release)
    digest = hashlib.blake2b(json.dumps(named).encode(), digest_size=10)
    if documents.is_file():
        with documents.open("rb") as data:
            hashlib.file_digest(data, lambda: digest)
    return digest.hexdigest()


def _index_files(files: Path, settings: Settings, on: Progress, notify: Notice) -> None:
    """Ingest the files and report failures."""
    seen = count()
    report = ingest(
        settings, [str(files)], on_event=lambda _event: on("index", next(seen), None), notice=notify
    )
    for path, reason in report.failed:
        notify(f"{path} could not be read: {reason}.")


def _index_corpus(
    documents: Iterator[CorpusDocument], writer: CollectionWriter, on: Progress
) -> None:
    done = 0
    while batch := list(islice(documents, _TOGETHER)):
        writer.put_all(list(map(_read, batch)))
        done += len(batch)
        on("index", done, None)


def _read(document: CorpusDocument) -> tuple[IndexedDocument, list[DocumentPart]]:
    """A document's row in the index, and its one part."""
    text = clean(document.text)
    title = shorten(clean(document.title), 120) if document.title else None
    chunks = tuple(chunk_parts([Part(text)], "text"))
    row = IndexedDocument(document.id, None, None, content_hash="", title=title)
    return row, [DocumentPart(text, chunks)]
