"""What the loop gains over no loop, set by set and rewrite by rewrite, as asked and with typos.

python tests/benchmarks/rewriting.py --data DIR [--without spelling] [--only-kinds]
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from labelled import asked_text, index, load_set

from rag.engines.local import rewrite
from rag.engines.local.engine import LocalEngine
from rag.engines.protocol import GradeRequest, RewriteRequest
from rag.index.collection import Collection
from rag.question.parts import read_parts
from rag.question.spelling import mend_spelling
from state.passages import Grade, RetrievedChunk

RETRIEVED = 8
MAX_LOOPS = 3
SETS = ("scifact", "squad2", "hotpotqa_sub", "mtrag_clapnq")


@dataclass
class Loops:
    """One question: the documents known after each loop, best first, whether they sufficed,
    and which kind of rewrite each further loop tried.
    """

    rankings: list[list[str]] = field(default_factory=list)
    sufficient: list[bool] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def stopped(self) -> Loops:
        """As it would have been, had it stopped where enough was found."""
        last = self.sufficient.index(True) + 1 if True in self.sufficient else None
        return Loops(self.rankings[:last], self.sufficient[:last], self.kinds)


def misspell(text: str, rng: Random) -> str:
    """One slip (swap, drop, double or wrong letter) in one of the longer words."""
    words = text.split(" ")
    places = [i for i, word in enumerate(words) if len(word) >= 6 and word.isalpha()]
    if not places:
        return text
    place = rng.choice(places)
    word, at = words[place], rng.randrange(1, len(words[place]) - 1)
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    words[place] = rng.choice(
        [
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + letter + word[at + 1 :],
        ]
    )
    return " ".join(words)


def ask(question: str, collection: Collection, engine: LocalEngine, *, always: bool) -> Loops:
    """The graph's loop without the graph; `always` goes on where enough was found."""
    loops = Loops()
    known: dict[str, RetrievedChunk] = {}
    grades: dict[str, Grade] = {}
    tried = [question]
    parts = read_parts(question, collection)
    enough = False
    while True:
        hits = collection.search(tried[-1], RETRIEVED)
        new = [hit for hit in hits if hit["chunk_id"] not in known]
        known |= {hit["chunk_id"]: hit for hit in new}
        if new:
            graded = engine.grade(
                GradeRequest(question, parts, tried[-1], new, grades, list(known.values()), True)
            )
            grades |= {grade["chunk_id"]: grade for grade in graded.grades}
            enough = graded.sufficient
        best = sorted(
            known.values(),
            key=lambda hit: (
                not grades[hit["chunk_id"]]["relevant"],
                -(grades[hit["chunk_id"]]["confidence"] or 0.0),
            ),
        )
        loops.rankings.append(list(dict.fromkeys(hit["source"] for hit in best)))
        loops.sufficient.append(enough)
        if (enough and not always) or not new or len(tried) > MAX_LOOPS:
            return loops
        situation = RewriteRequest(question, parts, tried, list(known.values()), grades, None)
        rewritten = engine.rewrite(situation)
        if rewritten.query is None:
            return loops
        tried.append(rewritten.query)
        loops.kinds.append(_kind(rewritten.reason))


def _kind(reason: str) -> str:
    return "spelling" if reason.startswith("spells") else "feedback, one passage"


def recall(relevant: Sequence[str], ranking: Sequence[str]) -> float:
    return len(set(relevant) & set(ranking[:10])) / len(set(relevant))


def line(label: str, queries: Sequence[dict[str, Any]], asked: Sequence[Loops]) -> None:
    first = np.array(
        [recall(q["relevant"], a.rankings[0]) for q, a in zip(queries, asked, strict=True)]
    )
    last = np.array(
        [recall(q["relevant"], a.rankings[-1]) for q, a in zip(queries, asked, strict=True)]
    )
    missed, none = first < 1, first == 0

    def gain(which: Any) -> str:
        return f"{100 * (last - first)[which].mean():+6.1f}" if which.any() else "     –"

    loops = np.mean([len(a.rankings) - 1 for a in asked])
    looped = np.mean([len(a.rankings) > 1 for a in asked])
    print(
        f"{label:34s} {len(queries):4d} {100 * first.mean():7.1f} {100 * last.mean():7.1f}"
        f" {missed.sum():6d} {gain(missed)} {none.sum():6d} {gain(none)}   {gain(~missed)}"
        f"  {loops:5.2f} {100 * looped:5.0f} %",
        flush=True,
    )


def by_kind(queries: Sequence[dict[str, Any]], asked: Sequence[Loops]) -> Counter[str]:
    """How often each kind was used where something was missing, the relevant documents
    that it newly found, those of them among the best 10, and those that left the best 10.
    """
    found: Counter[str] = Counter()
    for query, one in zip(queries, asked, strict=True):
        relevant = set(query["relevant"])
        for kind, before, after in zip(one.kinds, one.rankings, one.rankings[1:], strict=False):
            was, became = relevant & set(before[:10]), relevant & set(after[:10])
            found[f"{kind}: lost"] += len(was - became)
            if relevant <= set(before):
                continue
            found[f"{kind}: used"] += 1
            found[f"{kind}: found"] += len(relevant & set(after) - set(before))
            found[f"{kind}: gained"] += len(became - was)
    return found


def print_kinds(found: Counter[str]) -> None:
    print("  kind, uses where some were missing: newly found, gained and lost among the best 10")
    for kind in sorted({key.partition(":")[0] for key in found}):
        used, hits, gained, lost = (
            found[f"{kind}: {what}"] for what in ("used", "found", "gained", "lost")
        )
        each = f"{hits / used:.2f} each" if used else "-"
        print(f"  {kind:24s} {used:4d}: {hits:4d} ({each}), {gained:+4d} {-lost:+4d}", flush=True)


def leave_out(kind: str) -> None:
    """Takes one kind of rewrite, called as in the table, from those that are tried."""
    names = {
        "spelling": "mend",
        "feedback, one passage": "follow_the_best",
    }
    rewrite.REWRITES = tuple(r for r in rewrite.REWRITES if r.__name__ != names[kind])  # type: ignore[attr-defined]


def changed_when_right(queries: Sequence[dict[str, Any]], collection: Collection) -> int:
    return sum(bool(mend_spelling(asked_text(q), collection).changes) for q in queries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without", action="append", default=[], help="a kind of rewrite")
    parser.add_argument("--only-kinds", action="store_true", help="no typos")
    given = parser.parse_args()
    for kind in given.without:
        leave_out(kind)
    print(
        "recall@10 before and after; gain on questions that missed some, that missed all;"
        " gain on the others; loops a question; share that looped",
        flush=True,
    )
    whole: Counter[str] = Counter()
    for name in given.sets:
        one = load_set(given.data / name)
        rng = Random(given.seed)
        own = one.answerable
        queries = rng.sample(own, min(given.questions, len(own)))
        with tempfile.TemporaryDirectory() as home:
            collection = index(Path(home), list(one.documents.values()))
            try:
                engine = LocalEngine(collection)
                texts = [asked_text(query) for query in queries]
                always = [ask(text, collection, engine, always=True) for text in texts]
                line(f"{name}, looping always", queries, always)
                found = by_kind(queries, always)
                print_kinds(found)
                whole += found
                line(name, queries, [one.stopped() for one in always])
                if given.only_kinds:
                    continue
                slips = [misspell(text, rng) for text in texts]
                asked = [ask(text, collection, engine, always=False) for text in slips]
                line(f"{name}, one typo each", queries, asked)
                wrong = changed_when_right(queries, collection)
                print(f"  {wrong} of {len(queries)} questions as asked were respelt", flush=True)
            finally:
                collection.close()
    print("all sets")
    print_kinds(whole)


if __name__ == "__main__":
    main()
