"""A thread as one document, Markdown to read or JSON to keep, and whether the files that it cites
are still what they were.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rag.citations.check import left_out
from rag.text.prose import one_line
from state.turns import CitedFile, Turn
from state.wording import written_place

if TYPE_CHECKING:
    from rag.index.reader import CollectionReader
    from state.answer import Citation

FileState = Literal["same", "changed", "gone"]


def thread_json(thread: str, turns: Iterable[Turn]) -> dict[str, Any]:
    """Turns with their whole answers, and what became of the files they cite."""
    return {"schema": "crag.thread/1", "thread": thread, "turns": [_turn(turn) for turn in turns]}


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn.number,
        "created_at": turn.created_at.isoformat(timespec="seconds"),
        "milestone": turn.milestone,
        "collection": turn.collection,
        "answer": turn.answer,
        "files": {
            source: {**turn.files[source], "state": state}
            for source, state in file_states(turn.files).items()
        },
    }


def thread_markdown(thread: str, turns: Iterable[Turn]) -> Iterator[str]:
    """The lines of the thread: a heading a question, the answer, its sources with quotes."""
    yield f"# {one_line(thread)}"
    for turn in turns:
        yield from ("", f"## {turn.number}. {one_line(turn.answer['question'])}", "")
        yield from _byline(turn)
        yield ""
        yield from turn.answer["answer"].splitlines()
        for line in left_out(turn.answer["dropped"], turn.answer["claims"]):
            yield from ("", f"*{one_line(line)}*")
        yield from _sources(turn)


def _byline(turn: Turn) -> Iterator[str]:
    answer = turn.answer
    engine = answer["engine"]["model"] or answer["engine"]["name"]
    told = [turn.created_at.isoformat(sep=" ", timespec="seconds"), answer["status"], engine]
    told += [turn.collection] if turn.collection else []
    told += ["pinned"] if turn.milestone else []
    yield f"*{one_line(', '.join(told))}*"
    if answer["standalone_question"] != answer["question"]:
        yield from ("", f"*Understood as: {one_line(answer['standalone_question'])}*")


def _sources(turn: Turn) -> Iterator[str]:
    states = file_states(turn.files)
    for citation in turn.answer["citations"]:
        yield ""
        where = one_line(written_place(citation))
        state = states.get(citation["source"], "same")
        note = "" if state == "same" else f" (the file has {state} since)"
        yield from (f"[{citation['marker']}] {where}{note}", "")
        yield from (f"> {line}" for line in citation["quote"].splitlines())


def cited_files(
    citations: Iterable[Citation], collection: CollectionReader
) -> dict[str, CitedFile]:
    """What the catalog knows of each cited source that is a file, by source."""
    found: dict[str, CitedFile] = {}
    for source in dict.fromkeys(citation["source"] for citation in citations):
        document = collection.document(source)
        if document is not None and document.path is not None:
            found[source] = {"path": document.path, "content_hash": document.content_hash}
    return found


def file_states(files: Mapping[str, CitedFile]) -> dict[str, FileState]:
    """By source: does the file on disk still hold what was cited?"""
    return {source: _state(file) for source, file in files.items()}


def _state(file: CitedFile) -> FileState:
    """The catalog's hash is blake2b of the file's bytes behind the name of how it was read."""
    wanted = file["content_hash"].rpartition(":")[2]
    digest = partial(hashlib.blake2b, digest_size=len(wanted) // 2 or 16)
    try:
        with open(os.fsencode(file["path"]), "rb") as opened:  # noqa: PTH123 - any bytes a path has
            found = hashlib.file_digest(opened, digest).hexdigest()
    except (OSError, ValueError):
        return "gone"
    return "same" if found == wanted else "changed"
