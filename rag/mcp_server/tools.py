"""The tools that an agent has over MCP: ask, search, list and read a collection, no more.

Every argument is bounded, every failure is a tool error of one line, and nothing outside the
collection can be named: sources are looked up in the catalog, never on the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from rag.session import Session, open_session
from state.errors import CragError, UsageError
from state.settings import Settings
from state.wording import without_surrogates

PAGE = 16_000
"""Characters of a source that are read at once: some 4,000 tokens."""
MAX_QUESTION = 20_000

Words = Annotated[str, Field(max_length=MAX_QUESTION)]


class Place(BaseModel):
    """Where in a file: `anchor` as a person says it, lines where it has lines."""

    source: str
    anchor: str | None = None
    page: int | None = None
    start_line: int | None = None
    end_line: int | None = None


class Citation(Place):
    marker: int
    quote: str
    support: str


class Answer(BaseModel):
    """`citations` by marker; of an answer that abstained `nearest` lies nearest to the question;
    `missing` is what the question asks and the documents do not say.
    """

    status: str
    standalone_question: str
    answer: str
    citations: list[Citation]
    nearest: list[Citation]
    missing: list[str] = []
    warnings: list[str]
    trace_id: str


class Passage(Place):
    rank: int
    title: str | None = None
    score: float
    text: str


class Passages(BaseModel):
    """Best first."""

    results: list[Passage]


class Sources(BaseModel):
    """`next`: where to go on; null at the end."""

    sources: list[str]
    next: str | None


class SourceText(BaseModel):
    """A stretch of one source's text; `next` is where to go on, null at its end."""

    source: str
    start: int
    text: str
    characters: int
    next: int | None


class CollectionTools:
    """The tools over one open session; calls are served one at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._session: Session | None = None
        self._lock = Lock()

    def ask(self, question: Words) -> Answer:
        """Answer a question from the documents. What is shown is cited to places in files. Status
        "abstained" means that the documents do not hold an answer.
        """
        with self._open() as session:
            return Answer.model_validate(session.ask(_checked_question(question)))

    def search(self, query: Words, k: Annotated[int, Field(ge=1, le=50)] = 8) -> Passages:
        """The best passages for a query, best first, with their text and place."""
        with self._open() as session:
            hits = session.reader.search(_checked_question(query), k)
        return Passages(
            results=[
                Passage.model_validate({**hit, "rank": rank, "score": round(hit["score"], 4)})
                for rank, hit in enumerate(hits, 1)
            ]
        )

    def sources(
        self, limit: Annotated[int, Field(ge=1, le=1000)] = 200, after: str = ""
    ) -> Sources:
        """The sources in the collection, in order; go on with `after` the last one."""
        from rag.opening import store_of

        with self._open():
            store = store_of(self._settings)
            with store.contents(self._settings.collection) as held:
                names = sorted(document.source for document in held.documents())
        rest = [name for name in names if name > after]
        listed = rest[:limit]
        return Sources(sources=listed, next=listed[-1] if len(listed) < len(rest) else None)

    def read_source(self, source: str, start: Annotated[int, Field(ge=0)] = 0) -> SourceText:
        """A stretch of one source's extracted text, from character `start`."""
        with self._open() as session:
            document = session.reader.document(source)
            if document is None:
                raise UsageError(f"There is no source {source!r} in the collection.")
            start = min(start, document.characters)
            text = session.reader.document_text(source, start, start + PAGE) or ""
        end = start + len(text)
        return SourceText(
            source=source,
            start=start,
            text=text,
            characters=document.characters,
            next=end if end < document.characters else None,
        )

    @contextmanager
    def _open(self) -> Iterator[Session]:
        """The session, opened on the first call; a CragError inside becomes a ToolError."""
        try:
            with self._lock:
                if self._session is None:
                    self._session = open_session(self._settings)
                yield self._session
        except CragError as error:
            raise ToolError(without_surrogates(str(error)[:500])) from None


def _checked_question(text: str) -> str:
    """The question without outer whitespace; raises UsageError if it holds no word."""
    if not any(character.isalnum() for character in text):
        raise UsageError("The question is empty.")
    return without_surrogates(text.strip())
