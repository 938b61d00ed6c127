"""What the loop gains over no loop, set by set and rewrite by rewrite, as asked and with typos.

python tests/benchmarks/rewriting.py --data DIR
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

from rag.engines.local.engine import LocalEngine
from rag.engines.local.mending import mend_spelling
from rag.engines.protocol import GradeRequest, RewriteRequest
from rag.index.collection import Collection
from state.grades import Grade
from state.passages import RetrievedChunk

RETRIEVED = 8
MAX_LOOPS = 3
SETS = ("scifact", "squad2", "hotpotqa_sub", "mtrag_clapnq")


@dataclass
class Loops:
    """One question: the documents known after each loop, best first, and who asked for it."""

    rankings: list[list[str]] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    sufficient: bool = False


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
    while True:
        hits = collection.search(tried[-1], RETRIEVED)
        new = [hit for hit in hits if hit["chunk_id"] not in known]
        known |= {hit["chunk_id"]: hit for hit in new}
        if new:
            graded = engine.grade(
                GradeRequest(question, tried[-1], new, grades, list(known.values()), True)
            )
            grades |= {grade["chunk_id"]: grade for grade in graded.grades}
            loops.sufficient = graded.sufficient
        best = sorted(
            known.values(),
            key=lambda hit: (
                not grades[hit["chunk_id"]]["relevant"],
                -(grades[hit["chunk_id"]]["confidence"] or 0.0),
            ),
        )
        loops.rankings.append(list(dict.fromkeys(hit["source"] for hit in best)))
        if (loops.sufficient and not always) or not new or len(tried) > MAX_LOOPS:
            return loops
        situation = RewriteRequest(question, tried, list(known.values()), grades, None)
        rewritten = engine.rewrite(situation)
        if rewritten.query is None:
            return loops
        tried.append(rewritten.query)
        loops.kinds.append(_kind(rewritten.reason))


def _kind(reason: str) -> str:
    starts = {
        "spells": "spelling",
        "nothing yet on": "uncovered part",
        "keeps only": "rarest words",
    }
    for start, kind in starts.items():
        if reason.startswith(start):
            return kind
    if "near to it" in reason:
        return "nearest words"
    return "feedback, one passage" if reason.endswith("the best passage") else "feedback, more"


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
    """Relevant documents newly found, and how often each kind was used."""
    found: Counter[str] = Counter()
    for query, one in zip(queries, asked, strict=True):
        relevant = set(query["relevant"])
        for kind, before, after in zip(one.kinds, one.rankings, one.rankings[1:], strict=False):
            if relevant <= set(before):
                continue
            found[f"{kind}: used"] += 1
            found[f"{kind}: found"] += len(relevant & set(after) - set(before))
    return found


def changed_when_right(queries: Sequence[dict[str, Any]], collection: Collection) -> int:
    return sum(bool(mend_spelling(asked_text(q), collection).changes) for q in queries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(
        "recall@10 before and after; gain on questions that missed some, that missed all;"
        " gain on the others; loops a question; share that looped"
    )
    found: Counter[str] = Counter()
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
                asked = [ask(text, collection, engine, always=False) for text in texts]
                line(name, queries, asked)
                asked = [ask(text, collection, engine, always=True) for text in texts]
                line(f"{name}, looping always", queries, asked)
                found += by_kind(queries, asked)
                slips = [misspell(text, rng) for text in texts]
                asked = [ask(text, collection, engine, always=False) for text in slips]
                line(f"{name}, one typo each", queries, asked)
                wrong = changed_when_right(queries, collection)
                print(f"  {wrong} of {len(queries)} questions as asked were respelt")
            finally:
                collection.close()
    print("relevant documents newly found by each kind of rewrite, where some were missing:")
    for kind in sorted({key.partition(":")[0] for key in found}):
        used, hits = found[f"{kind}: used"], found[f"{kind}: found"]
        print(f"  {kind:24s} {hits:4d} in {used:4d} uses ({hits / used:.2f} each)")


if __name__ == "__main__":
    main()
