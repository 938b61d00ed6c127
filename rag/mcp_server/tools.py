"""What an agent may do with a collection over MCP: ask, search, list and read, no more.

Every argument is bounded, every result keeps to the tokens that the caller has room for, every
failure is a tool error of one line, and nothing outside the collection can be named: sources are
looked up in the catalog, never on the disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import quote

from rag.mcp_server import results
from rag.mcp_server.results import USUAL, TokenBudget, fitting
from rag.session import Session, open_session
from state.answer import Answer, Citation
from state.errors import CragError, UsageError
from state.passages import RetrievedChunk
from state.settings import Settings

if TYPE_CHECKING:
    from rag.index.protocol import CollectionReader

TEMPLATE = "crag://source/{+source}{?lines}"
"""`lines` as in 12-14; without it the beginning."""

_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{0,9}))?")
_AROUND = 3
_MOST_LINES = 400
MAX_QUESTION = 20_000
MAX_K = 50
MAX_TURNS = 100
_FOR_THE_ANSWER = 0.6
"""Of the tokens; what it leaves is for the places that it cites."""


class CollectionTools:
    """The tools over one open session; calls are served one at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._session: Session | None = None
        self._lock = Lock()

    def ask(self, question: str, token_budget: int = USUAL) -> results.AskResult:
        """Answer a question from the documents. Every sentence is cited to a place in a file; one
        marked (unverified) is not proved by it, and stands in `claims`. Status "abstained" means
        that the documents do not hold an answer. `token_budget`: tokens you have room for.
        """
        budget = TokenBudget(token_budget)
        with self._open() as session:
            answer = session.ask(_bounded(question))
        text = budget.text(answer["answer"], _FOR_THE_ANSWER)
        doubts = [claim for claim in answer["claims"] if claim["verdict"] != "verified"]
        kept = fitting((results.Doubt.model_validate(claim) for claim in doubts), budget)
        clarify = [each for each in answer["clarify"] if budget.take(each)]
        warnings = [each for each in answer["warnings"] if budget.take(each)]
        cited = fitting(map(_place, answer["citations"]), budget)
        nearest = fitting(map(_place, answer["nearest"]), budget)
        return results.AskResult(
            status=answer["status"],
            question=answer["standalone_question"][:1000],
            answer=text,
            cut=len(text) < len(answer["answer"]),
            citations=cited,
            nearest=nearest,
            claims=kept,
            clarify=clarify,
            warnings=warnings,
            left_out=len(answer["citations"]) + len(answer["nearest"]) - len(cited) - len(nearest),
            trace_id=answer["trace_id"],
        )

    def search(self, query: str, k: int = 8, token_budget: int = USUAL) -> results.SearchResult:
        """The best chunks for a query, best first, with their text and place."""
        if not 1 <= k <= MAX_K:
            raise UsageError(f"k must be from 1 to {MAX_K}.")
        budget = TokenBudget(token_budget)
        with self._open() as session:
            hits = session.reader.search(_bounded(query), k)
        found = [_passage(rank, hit) for rank, hit in enumerate(hits, 1)]
        shown = fitting(found, budget)
        if found and not shown:  # the best one alone is too long: its beginning
            first = found[0].model_copy(update={"text": ""})
            budget.take(first.as_json())
            shown = [first.model_copy(update={"text": budget.text(found[0].text)})]
        return results.SearchResult(results=shown, left_out=len(found) - len(shown))

    def sources(
        self, limit: int = 200, after: str = "", token_budget: int = USUAL
    ) -> results.SourceList:
        """The sources in the collection, in order; go on with `after` the last one."""
        from rag.index.stores import all_sources, store_of

        names = all_sources(store_of(self._settings), self._settings.collections)
        rest = [name for name in names if name > after]
        budget = TokenBudget(token_budget)
        listed = list(takewhile(budget.take, rest[: max(1, limit)]))
        return results.SourceList(
            sources=listed, next=listed[-1] if listed and len(listed) < len(rest) else None
        )

    def read_source(
        self, source: str, start: int = 0, token_budget: int = USUAL
    ) -> results.SourceText:
        """A stretch of one source's extracted text, from character `start`."""
        budget = TokenBudget(token_budget)
        with self._open() as session:
            document = session.reader.document(source)
            if document is None:
                raise _no_source(source)
            start = min(max(0, start), document.characters)
            text = session.reader.document_text(source, start, start + 8 * token_budget)
        shown = budget.text(text or "")
        end = start + len(shown)
        return results.SourceText(
            source=source,
            start=start,
            text=shown,
            characters=document.characters,
            next=end if end < document.characters else None,
        )

    def status(self) -> results.CollectionState:
        """What is indexed: documents, chunks, embedder, the folders they came from, and how many
        of their files have changed or gone since.
        """
        from rag.index.stores import store_of
        from rag.ingest.staleness import staleness

        store, names = store_of(self._settings), self._settings.collections
        known = [found for name in names if (found := store.inventory(name)) is not None]
        stale = [staleness(store, name) for name in names]
        with self._open() as session:
            reader = session.reader
            return results.CollectionState(
                collection=reader.name,
                documents=reader.document_count,
                chunks=reader.chunk_count,
                embedder=str(reader.embedder.identity),
                folders=sorted({root for each in known for root in each.roots}),
                changed=sum(each.changed for each in stale),
                gone=sum(each.gone for each in stale),
            )

    def thread_history(
        self, thread: str, limit: int = 20, token_budget: int = USUAL
    ) -> results.ThreadTurns:
        """The newest turns of a conversation thread, newest first. Of a turn that drew on
        documents outside this collection only its number is told.
        """
        with self._open() as session:
            turns = session.memory.store.turns(
                thread, newest_first=True, limit=max(1, min(limit, MAX_TURNS))
            )
            found = [_turn(turn.answer, session.reader) for turn in turns]
        shown = fitting(found, TokenBudget(token_budget))
        return results.ThreadTurns(turns=shown, left_out=len(found) - len(shown))

    def place(self, source: str, lines: str = "") -> str:
        """The lines of a source that a citation's `uri` names, with those around them."""
        with self._open() as session:
            text = session.reader.document_text(source)
        if text is None:
            raise _no_source(source)
        return lines_of(text, lines)

    @contextmanager
    def _open(self) -> Iterator[Session]:
        with self._lock:
            if self._session is None:
                self._session = open_session(self._settings)
            yield self._session


def _no_source(source: str) -> UsageError:
    return UsageError(f"There is no source {source!r} in the collection.")


def one_line(error: CragError) -> str:
    return str(error)[:500].encode("utf-8", "replace").decode()


def _turn(answer: Answer, reader: CollectionReader) -> results.Turn:
    if not is_of_collection(answer, reader):
        return results.Turn(turn=answer["turn"], withheld="not of this collection")
    return results.Turn.model_validate(answer)


def _place(citation: Citation) -> results.Place:
    uri = place_uri(citation["source"], citation["start_line"], citation["end_line"])
    return results.Place.model_validate({**citation, "uri": uri})


def _passage(rank: int, hit: RetrievedChunk) -> results.Passage:
    uri = place_uri(hit["source"], hit["start_line"], hit["end_line"])
    return results.Passage.model_validate(
        {**hit, "rank": rank, "score": round(hit["score"], 4), "uri": uri}
    )


def _bounded(text: str) -> str:
    text = text.strip()
    if not any(character.isalnum() for character in text):
        raise UsageError("The question is empty.")
    if len(text) > MAX_QUESTION:
        raise UsageError(f"A question has at most {MAX_QUESTION:,} characters.")
    return text


def place_uri(source: str, start: int | None, end: int | None) -> str:
    path = quote(source.encode("utf-8", "surrogateescape"), safe="/")
    if start is None:
        return f"crag://source/{path}"
    return f"crag://source/{path}?lines={start}-{end or start}"


def lines_of(text: str, lines: str) -> str:
    """The lines that `lines` names with those around them, or the first ones."""
    named = _LINES.fullmatch(lines)
    if named is None:
        return "\n".join(text.split("\n")[:_MOST_LINES])
    begin = max(0, int(named[1]) - 1 - _AROUND)
    end = min(int(named[2] or named[1]) + _AROUND, begin + _MOST_LINES)
    return "\n".join(text.split("\n")[begin:end])


def is_of_collection(answer: Answer, reader: CollectionReader) -> bool:
    """Threads belong to the home, not to a collection: one may have asked several. Whether all that
    a turn retrieved is in this one, and all it quotes still stands there. One of which nothing of
    that is known drew on who knows what.
    """
    sources = {chunk["source"] for loop in answer["loops"] for chunk in loop["chunks"]}
    cited = [*answer["citations"], *answer["nearest"]]
    if not sources and not cited:
        return False
    if any(reader.document(source) is None for source in sources):
        return False
    texts = {c["source"]: reader.document_text(c["source"]) or "" for c in cited}
    return all(_stands(c, texts[c["source"]]) for c in cited)


def _stands(citation: Citation, text: str) -> bool:
    """A passage may begin with what introduces it from afar, such as a table's header."""
    lines = citation["passage"].split("\n")
    return citation["quote"] in text and all(line in text for line in lines)
