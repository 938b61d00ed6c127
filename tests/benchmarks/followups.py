"""Do follow-ups, resolved by the local engine, find more than they do as they were typed?

    python tests/benchmarks/followups.py --data FOLDER [--home HOME]

FOLDER holds corpus.jsonl and queries.jsonl with `history` and `rewrite`. The index is kept
in HOME (default: a folder thrown away). A turn needs resolving where its rewrite, by a
person, says something else than the turn. Printed: recall@5 of the turn as typed, resolved,
and as the person rewrote it, over all such turns and over two halves of the conversations,
in conversations whose stand-alone questions are
the rules' own, and of first questions asked at the end of somebody else's conversation.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from rag.embed.builtin import BuiltinEmbedder  # noqa: E402
from rag.evaluate.datasets import CorpusDocument  # noqa: E402
from rag.evaluate.prepare import index_corpus  # noqa: E402
from rag.index.collection import Collection  # noqa: E402
from rag.index.local_store import LocalStore  # noqa: E402
from rag.question.followup import stand_alone  # noqa: E402

K = 5
STRANGERS = (3, 7, 11)


def open_index(data: Path, home: Path) -> Collection:
    embedder = BuiltinEmbedder()
    lines = (data / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [
        CorpusDocument(id=row["id"], title=row.get("title"), text=row["text"])
        for row in map(json.loads, lines)
    ]
    with LocalStore(home).open_writer(data.name, embedder.identity) as writer:
        index_corpus(documents, writer, embedder, lambda *_: None)
    return LocalStore(home).open_collection(data.name, embedder)


def words(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def needs(row: dict) -> bool:
    return bool(row["rewrite"]) and words(row["rewrite"]) != words(row["text"])


def turns_of(history: Sequence[dict], understood: dict[str, str] | None = None) -> list[dict]:
    return [
        {
            "question": turn["q"],
            "standalone_question": (understood or {}).get(turn["q"], turn["q"]),
            "answer": turn["a"],
            "turn": number,
            "milestone": False,
        }
        for number, turn in enumerate(history, 1)
    ]


class Bench:
    def __init__(self, rows: list[dict], collection: Collection) -> None:
        self.rows = [row for row in rows if row["relevant"]]
        self.all = rows
        self.collection = collection
        self.top = cache(self._top)

    def _top(self, query: str) -> frozenset[str]:
        found = [chunk["source"] for chunk in self.collection.search(query, 4 * K)]
        return frozenset(list(dict.fromkeys(found))[:K])

    def recall(self, rows: Sequence[dict], query: Callable[[dict], str]) -> float:
        found = [len(self.top(query(row)) & set(row["relevant"])) for row in rows]
        shares = [n / len(row["relevant"]) for n, row in zip(found, rows, strict=True)]
        return sum(shares) / max(1, len(shares))

    def resolve(self, row: dict) -> str:
        return stand_alone(row["text"], turns_of(row["history"]), self.collection).question

    def chained(self) -> dict[str, str]:
        """By row id: resolved from a history whose stand-alone questions are ours."""
        resolved: dict[str, str] = {}
        understood: dict[str, dict[str, str]] = {}
        for row in sorted(self.all, key=lambda row: row["turn"]):
            ours = understood.setdefault(row["conversation"], {})
            history = turns_of(row["history"], ours)
            ours[row["text"]] = stand_alone(row["text"], history, self.collection).question
            resolved[row["id"]] = ours[row["text"]]
        return resolved

    def strangers(self, firsts: Sequence[dict]) -> list[tuple[dict, str]]:
        """First questions, each asked where other conversations left off."""
        last = {row["conversation"]: row for row in sorted(self.all, key=lambda row: row["turn"])}
        names = sorted(last)
        asked = []
        for row in firsts:
            for shift in STRANGERS:
                other = last[names[(names.index(row["conversation"]) + shift) % len(names)]]
                history = turns_of(other["history"])
                asked.append((row, stand_alone(row["text"], history, self.collection).question))
        return asked


def main(data: Path, home: Path) -> None:
    lines = (data / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    bench = Bench([json.loads(line) for line in lines], open_index(data, home))
    firsts = [row for row in bench.rows if not row["history"]]
    later = [row for row in bench.rows if row["history"]]
    halves = sorted({row["conversation"] for row in bench.rows})[::2]
    chained = bench.chained()
    groups = {
        "first turns": firsts,
        "turns that need it": [row for row in later if needs(row)],
        "  one half of the conversations": [
            r for r in later if needs(r) and r["conversation"] in halves
        ],
        "  the other half": [r for r in later if needs(r) and r["conversation"] not in halves],
        "turns that stand alone": [row for row in later if not needs(row)],
    }
    print(f"recall@{K:<30} n    typed  resolved  chained  by hand")
    for name, rows in groups.items():
        figures = (
            bench.recall(rows, lambda row: row["text"]),
            bench.recall(rows, bench.resolve),
            bench.recall(rows, lambda row: chained[row["id"]]),
            bench.recall(rows, lambda row: row["rewrite"] or row["text"]),
        )
        print(f"{name:<31} {len(rows):>5}" + "".join(f"{figure:>9.3f}" for figure in figures))
    asked = bench.strangers(firsts)
    left = sum(question == row["text"] for row, question in asked)
    rows = [{**row, "text": question} for row, question in asked]
    print(f"new topic after another: {left} of {len(asked)} untouched, recall", end=" ")
    print(f"{bench.recall(rows, lambda row: row['text']):.3f}")
    untouched = sum(bench.resolve(row) == row["text"] for row in groups["turns that stand alone"])
    print(f"stand-alone turns untouched: {untouched} of {len(groups['turns that stand alone'])}")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--home", type=Path)
    given = options.parse_args()
    if given.home is not None:
        main(given.data, given.home)
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(given.data, Path(folder))
