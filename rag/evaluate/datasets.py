"""A dataset on disk: queries.jsonl beside corpus.jsonl or files/, and what it must be.

A folder whose questions are called questions.jsonl may hold its documents beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from state.errors import UsageError
from state.passages import HistoryTurn

QUERY_FILES = ("queries.jsonl", "questions.jsonl")
_LONGEST_LINE = 64 << 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Query:
    """One question with what a right run gives: `relevant` are document ids or paths,
    `rewrite` a follow-up as a person made it stand alone, `answerable` None where the
    dataset does not say whether its documents hold an answer.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    relevant: tuple[str, ...]
    answerable: bool | None
    history: tuple[HistoryTurn, ...]
    rewrite: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a document is relevant to a query, by a person."""

    query: Query
    document: str
    relevant: bool


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    id: str
    title: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """`documents` is a corpus.jsonl or a folder of files, None where it has none of its own."""

    name: str
    folder: Path
    queries: tuple[Query, ...]
    judgements: tuple[Judgement, ...]
    documents: Path | None

    @property
    def files(self) -> Path | None:
        """The folder, where it is one."""
        return self.documents if self.documents and self.documents.is_dir() else None


def sampled(items: Sequence[T], limit: int | None, seed: int) -> Sequence[T]:
    """At most `limit`, the same for a seed, in their order."""
    if limit is None or limit >= len(items):
        return items
    chosen = sorted(Random(seed).sample(range(len(items)), limit))  # noqa: S311
    return [items[place] for place in chosen]


def load_dataset(folder: Path) -> Dataset:
    """The dataset in `folder`.

    Raises:
        UsageError: it is no dataset, or a line of it is unusable; names the line.
    """
    if not folder.is_dir():
        raise UsageError(
            f"There is no dataset folder {folder}.",
            "A dataset is a folder with queries.jsonl and corpus.jsonl or files/.",
        )
    queries_file = next((folder / name for name in QUERY_FILES if (folder / name).is_file()), None)
    if queries_file is None:
        raise UsageError(f"There is no queries.jsonl in {folder}.")
    queries = tuple(_query(row, where) for row, where in _rows(queries_file))
    if not queries:
        raise UsageError(f"{queries_file} holds no query.")
    if len({query.id for query in queries}) < len(queries):
        raise UsageError(f"Two queries of {queries_file} have the same id.")
    return Dataset(
        name=folder.resolve().name,
        folder=folder,
        queries=queries,
        judgements=tuple(_judgements(folder / "grading.jsonl", queries)),
        documents=_documents(folder, beside=queries_file.name == "questions.jsonl"),
    )


def read_corpus(path: Path) -> Iterator[CorpusDocument]:
    """The documents of a corpus.jsonl, one at a time.

    Raises:
        UsageError: a line is unusable or an id comes twice.
    """
    seen: set[str] = set()
    for row, where in _rows(path):
        document = CorpusDocument(
            id=_text(row, "id", where, also=int),
            title=_text(row, "title", where, missing="") or None,
            text=_text(row, "text", where),
        )
        if document.id in seen:
            raise UsageError(f"{where}: the id {document.id!r} comes a second time.")
        seen.add(document.id)
        yield document


def _documents(folder: Path, *, beside: bool) -> Path | None:
    if (corpus := folder / "corpus.jsonl").is_file():
        return corpus
    if (files := folder / "files").is_dir():
        return files
    return folder if beside else None


def _query(row: Mapping[str, Any], where: str) -> Query:
    answers = _texts(row, "answers", where)
    relevant = _texts(row, "relevant", where)
    told = "answers" in row or "relevant" in row
    answerable = row.get("answerable", bool(answers or relevant) if told else None)
    if not isinstance(answerable, bool | None):
        raise UsageError(f"{where}: 'answerable' is not true or false.")
    text = _text(row, "text", where)
    if not text.strip():
        raise UsageError(f"{where}: the question is empty.")
    return Query(
        id=_text(row, "id", where, also=int),
        text=text,
        answers=answers,
        relevant=tuple(dict.fromkeys(relevant)),
        answerable=answerable,
        history=_history(row.get("history") or [], where),
        rewrite=_text(row, "rewrite", where, missing="") or None,
    )


def _history(turns: Any, where: str) -> tuple[HistoryTurn, ...]:
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise UsageError(f"{where}: 'history' is not a list of objects.")
    return tuple(
        {
            "question": (question := _text(turn, "q", where)),
            "standalone_question": question,
            "answer": _text(turn, "a", where),
            "turn": number,
            "milestone": False,
        }
        for number, turn in enumerate(turns, start=1)
    )


def _judgements(path: Path, queries: tuple[Query, ...]) -> Iterator[Judgement]:
    """`query` of a line is the id of a query, or its own text."""
    if not path.is_file():
        return
    known = {query.id: query for query in queries}
    by_text = {query.text: query for query in queries if not query.history}
    for row, where in _rows(path):
        named = _text(row, "query", where, also=int)
        relevant = row.get("relevant")
        if not isinstance(relevant, bool):
            raise UsageError(f"{where}: 'relevant' is not true or false.")
        query = known.get(named) or by_text.get(named)
        if query is None:
            query = by_text[named] = Query(named, named, (), (), answerable=True, history=())
        yield Judgement(query, _text(row, "doc_id", where, also=int), relevant)


def _rows(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    try:
        with path.open("rb") as file:
            lines = iter(partial(file.readline, _LONGEST_LINE), b"")
            for number, line in enumerate(lines, 1):
                where = f"{path}, line {number}"
                if not line.strip():
                    continue
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise UsageError(f"{where}: not a JSON object.")
                yield row, where
    except (ValueError, RecursionError):
        raise UsageError(f"{where}: not a line of JSON in UTF-8.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


def _text(
    row: Mapping[str, Any], key: str, where: str, *, missing: str | None = None, also: type = str
) -> str:
    value = row.get(key)
    if value is None and missing is not None:
        return missing
    if isinstance(value, bool) or not isinstance(value, str | also):
        raise UsageError(f"{where}: {key!r} is missing or not text.")
    return str(value)


def _texts(row: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    values = row.get(key) or []
    if not isinstance(values, list) or any(
        isinstance(value, bool) or not isinstance(value, str | int) for value in values
    ):
        raise UsageError(f"{where}: {key!r} is not a list of texts.")
    return tuple(map(str, values))
