"""A dataset on disk, validated: queries.jsonl beside corpus.jsonl or files/.

A folder whose queries are called questions.jsonl may hold its documents beside them.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from state.errors import UsageError
from state.passages import HistoryTurn

QUERY_FILES = ("queries.jsonl", "questions.jsonl")

T = TypeVar("T")
Row = TypeVar("Row", bound=BaseModel)
Name = Annotated[str, Field(coerce_numbers_to_str=True, strict=False)]


class _Row(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class EarlierTurn(_Row):
    """An earlier question of a conversation, and its answer."""

    question: Annotated[str, Field(alias="q")]
    answer: Annotated[str, Field(alias="a")]


class Query(_Row):
    """One question with its expected results. `relevant` are document ids or paths; `answerable` is
    None if the dataset does not say whether its documents hold an answer.
    """

    id: Name
    text: Annotated[str, StringConstraints(pattern=r"\S")]
    answers: list[Name] = []
    relevant: list[Name] = []
    answerable: bool | None = None
    conversation: Annotated[list[EarlierTurn], Field(alias="history")] = []

    def model_post_init(self, _context: object) -> None:
        told = {"answers", "relevant"} & self.model_fields_set
        if "answerable" not in self.model_fields_set and told:
            self.__dict__["answerable"] = bool(self.answers or self.relevant)

    @property
    def history(self) -> list[HistoryTurn]:
        return [
            {
                "question": turn.question,
                "standalone_question": turn.question,
                "answer": turn.answer,
                "turn": number,
                "milestone": False,
            }
            for number, turn in enumerate(self.conversation, start=1)
        ]


class Judgement(_Row):
    """A person's judgement whether a document is relevant to a query, given by id or text."""

    query: Name
    doc_id: Name
    relevant: bool


class CorpusDocument(_Row):
    id: Name
    title: str | None = None
    text: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """`documents` is a corpus.jsonl or a folder of files, None if the dataset has neither; `judged`
    says of a query's text which documents are relevant to it, and which are not.
    """

    name: str
    folder: Path
    queries: Sequence[Query]
    judged: dict[str, dict[str, bool]]
    documents: Path | None


def sample(items: Sequence[T], limit: int | None, seed: int) -> Sequence[T]:
    """At most `limit` items in their order, the same ones for the same seed."""
    if limit is None or limit >= len(items):
        return items
    chosen = sorted(Random(seed).sample(range(len(items)), limit))  # noqa: S311
    return [items[place] for place in chosen]


def load_dataset(folder: Path) -> Dataset:
    """The dataset in `folder`.

    Raises:
        UsageError: it is no dataset, or a line of it is unusable; names the line.
    """
    file = next((folder / name for name in QUERY_FILES if (folder / name).is_file()), None)
    if file is None:
        raise UsageError(
            f"There is no queries.jsonl in {folder}.",
            "A dataset is a folder with queries.jsonl and corpus.jsonl or files/.",
        )
    queries = list(read_rows(file, Query))
    if not queries:
        raise UsageError(f"{file} holds no query.")
    texts = {query.id: query.text for query in queries}
    judged: dict[str, dict[str, bool]] = {}
    if (judgements := folder / "grading.jsonl").is_file():
        for judgement in read_rows(judgements, Judgement):
            text = texts.get(judgement.query, judgement.query)
            judged.setdefault(text, {})[judgement.doc_id] = judgement.relevant
    places = [folder / "corpus.jsonl", folder / "files"]
    if file.name == "questions.jsonl":
        places.append(folder)
    documents = next((place for place in places if place.exists()), None)
    return Dataset(folder.resolve().name, folder, queries, judged, documents)


def read_rows(path: Path, kind: type[Row]) -> Iterator[Row]:
    """The rows of a file, one at a time.

    Raises:
        UsageError: a line is unusable or an id comes twice.
    """
    number, seen = 0, set[str]()
    try:
        with path.open("rb") as file:
            for line in file:
                number += 1
                if not line.strip():
                    continue
                row = kind.model_validate_json(line.removeprefix(BOM_UTF8))
                if isinstance(row, Query | CorpusDocument):
                    if row.id in seen:
                        raise UsageError(f"{path}: the id {row.id!r} comes a second time.")
                    seen.add(row.id)
                yield row
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        what = f"{where}: {first['msg']}" if where else first["msg"]
        raise UsageError(f"{path}, line {number}: {what}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
