"""What `crag ask --engine local` shows of the answer, over folders of documentation.

    python tests/benchmarks/shown.py --docs DIR... [--home DIR] [--out FILE]

Each DIR holds sources with `files/`, `queries.jsonl` and `conversations.jsonl`. A figure counts
what a person is shown: the first 300 and 1,000 characters of the answer, never what stands
somewhere in a page. A question is right where every group of `must` (or one of `answers`) has one
of its strings there. `--no-loops` asks each again without a correction, and says what these gained.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from real_docs import Source, is_of, opened, sources, talks_of

from rag.session import Session
from state.answer import Answer
from state.passages import to_history_turn

SHOWN = (300, 1000)
FIRST = (1, 3, 8)
_MARKS = re.compile(r"[*_`]")


def plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split()).casefold()


def holds_all(text: str, query: dict[str, Any]) -> bool:
    """Whether each group of strings has one in the text."""
    said = plain(text)
    groups = query.get("must") or [query["answers"]]
    return all(any(plain(each) in said for each in group) for group in groups)


def right(answer: Answer, query: dict[str, Any], characters: int | None = None) -> bool:
    """Short answers stand in many places: without `must` a file that holds it is cited."""
    cited = answer["citations"] or answer["nearest"]
    of_file = "must" in query or any(is_of(each["source"], query) for each in cited)
    return of_file and holds_all(answer["answer"][:characters], query)


def asked(session: Session, query: dict[str, Any]) -> dict[str, Any]:
    """One question, as a row of figures."""
    answer: Answer | None = None
    first: Sequence[dict[str, Any]] = ()
    for event in session.stream(query["text"]):
        if event["event"] == "retrieved" and not event["loop"]:
            first = event["chunks"]
        elif event["event"] == "answer":
            answer = event["answer"]
    assert answer is not None
    return {
        **judged(answer, query),
        "chunk": place(session, first, query),
    }


def judged(answer: Answer, query: dict[str, Any]) -> dict[str, Any]:
    answerable = bool(query["answerable"])
    return {
        "id": query.get("id", query["text"]),
        "answerable": answerable,
        "told": answer["status"] != "abstained",
        "right": answerable and right(answer, query),
        **{str(n): answerable and right(answer, query, n) for n in SHOWN},
        "characters": len(answer["answer"]),
        "loops": answer["loop_count"],
    }


def place(session: Session, chunks: Sequence[dict[str, Any]], query: dict[str, Any]) -> int | None:
    """The rank, from 1, of the first chunk retrieved that holds the answer by itself."""
    for rank, chunk in enumerate(chunks, 1):
        if query["answerable"] and is_of(chunk["source"], query):
            (held,) = session.reader.around(chunk["chunk_id"], 0, 0)
            if holds_all(held["text"], query):
                return rank
    return None


def conversations(source: Source, session: Session) -> list[dict[str, Any]]:
    rows = []
    for talk in talks_of(source):
        history: list[Any] = []
        for number, turn in enumerate(talk, 1):
            answer = session.ask(turn["text"], history=history)
            history.append(to_history_turn(answer, number, milestone=False))
            if turn["answerable"] is not None:
                rows.append(judged(answer, turn))
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    own = [row for row in rows if row["answerable"]]
    foreign = [row for row in rows if not row["answerable"]]
    told = [row for row in own if row["told"]]
    unsure = [row for row in own if not row["told"]]
    wrongly = sum(row["told"] for row in foreign)
    found: dict[str, Any] = {
        "answerable": len(own),
        **{f"within {n}": sum(row[str(n)] for row in own) for n in SHOWN},
        "shown": sum(row["right"] for row in own),
        "characters": round(median(row["characters"] for row in rows)),
        "told": len(told) + wrongly,
        "told, right": sum(row["right"] for row in told),
        "unsure": len(unsure),
        "unsure, shown": sum(row["right"] for row in unsure),
        "unanswerable": len(foreign),
        "unanswerable told": wrongly,
        "corrected": sum(row["loops"] > 0 for row in rows),
        "questions": len(rows),
    }
    if "chunk" in rows[0]:
        places = [row["chunk"] for row in own]
        found |= {f"first {n}": sum(bool(p) and p <= n for p in places) for n in FIRST}
    if "without loops" in rows[0]:
        found["gained"] = sum(row["right"] and not row["without loops"] for row in own)
        found["lost"] = sum(row["without loops"] and not row["right"] for row in own)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, nargs="+", required=True)
    parser.add_argument("--home", type=Path, help="kept, so that nothing is ingested twice")
    parser.add_argument("--out", type=Path, help="a row a question, as JSON lines")
    parser.add_argument("--no-loops", action="store_true")
    given = parser.parse_args()
    every: list[dict[str, Any]] = []
    talked: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        home = given.home or Path(scratch)
        for source in [each for folder in given.docs for each in sources(folder)]:
            with opened(source, home) as session:
                rows = [{**asked(session, q), "source": source.name} for q in source.queries]
                turns = conversations(source, session)
                if given.no_loops:
                    session.settings = session.settings.model_copy(update={"max_loops": 0})
                    for row, query in zip(rows, source.queries, strict=True):
                        alone = session.ask(query["text"])
                        row["without loops"] = judged(alone, query)["right"]
            print(source.name, json.dumps(summary(rows)), flush=True)
            every += rows
            talked += [{**row, "source": source.name} for row in turns]
    print("all", json.dumps(summary(every)))
    if talked:
        print("conversations", json.dumps(summary(talked)))
    if given.out:
        lines = [json.dumps(row) for row in [*every, *talked]]
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
