"""Two-hop questions: `crag research` beside one `crag ask`, both with the local engine.

    python tests/benchmarks/multihop.py --data SET [--half odd|even] [--limit N] [--home DIR]

SET holds corpus.jsonl and queries.jsonl with two relevant documents a question. Recall is
that of both among the cited documents; precision is the share of cited documents that are
relevant, so that citing more to find more shows. Tune on one half, judge on the other.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from rag.evaluate.datasets import Query, load_dataset
from rag.evaluate.prepare import prepare
from rag.research.run import Research
from state.answer import Citation
from state.choices import EngineName
from state.settings import Settings


@dataclass
class Scores:
    """`both`: all relevant documents cited; `one`: any; `led`: the answer string is shown."""

    both: list[bool] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    contains: list[bool] = field(default_factory=list)
    silent: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, query: Query, citations: Sequence[Citation], answer: str, seconds: float) -> None:
        cited = {citation["source"] for citation in citations}
        gold = set(query.relevant)
        self.both.append(gold <= cited)
        self.share.append(len(gold & cited) / len(gold))
        if cited:
            self.precision.append(len(gold & cited) / len(cited))
        else:
            self.silent += 1
        self.contains.append(any(a.casefold() in answer.casefold() for a in query.answers))
        self.seconds.append(seconds)

    def line(self, name: str) -> str:
        return (
            f"{name:9} both {mean(self.both):.3f}  recall {mean(self.share):.3f}  "
            f"precision {mean(self.precision or [0]):.3f}  contains {mean(self.contains):.3f}  "
            f"nothing cited {self.silent}  mean seconds {mean(self.seconds):.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", choices=("odd", "even", "all"), default="all")
    parser.add_argument("--limit", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--out", type=Path, help="JSON lines, one a question")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _compare(wanted, Settings(home=wanted.home or Path(folder), engine=EngineName.LOCAL))


def _compare(wanted: argparse.Namespace, settings: Settings) -> None:
    dataset = load_dataset(wanted.data)
    ready = prepare(dataset, settings, None, lambda *_: None, print)
    asked, researched = Scores(), Scores()
    rows: list[str] = []
    with Research(ready) as run:
        for query in _half(dataset.queries, wanted.half)[: wanted.limit]:
            began = time.perf_counter()
            answer = run.session.ask(query.text)
            middle = time.perf_counter()
            report = run.start(query.text)
            asked.add(query, answer["citations"], answer["answer"], middle - began)
            seconds = time.perf_counter() - middle
            researched.add(query, report["citations"], report["report"], seconds)
            rows.append(
                json.dumps(
                    {
                        "query": query.text,
                        "gold": query.relevant,
                        "ask": answer["citations"],
                        "report": report,
                    }
                )
            )
    print(f"{len(asked.both)} questions ({wanted.half})")
    print(asked.line("ask"))
    print(researched.line("research"))
    print(f"both: {mean(researched.both) - mean(asked.both):+.3f}")
    if wanted.out is not None:
        wanted.out.write_text("\n".join(rows) + "\n")


def _half(queries: Iterable[Query], half: str) -> list[Query]:
    kept = list(queries)
    return kept if half == "all" else kept[0 if half == "even" else 1 :: 2]


if __name__ == "__main__":
    main()
