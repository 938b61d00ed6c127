"""What keeping traces costs a warm turn of the local engine.

    python tests/benchmarks/tracing.py [--rounds 12] [--otlp]

Two sessions over the sample corpus in one process, one that keeps traces and one that does
not, are asked the same questions in turn, which of them first alternating. Each question's
two times are a pair; printed are the medians and what keeping adds to the median turn, with
an interval by resampling the pairs: by the clock, and by CPU time, which a busy machine
disturbs less. `--otlp` sends each trace to a receiver as well.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from otlp_collector import Collector  # noqa: E402

from rag.ingest.sync import ingest  # noqa: E402
from rag.opening import build_embedder  # noqa: E402
from rag.session import Session, open_session  # noqa: E402
from state.settings import Settings  # noqa: E402

Times = tuple[float, float]
"""Seconds on the clock, and seconds of CPU time."""


def seconds(session: Session, question: str) -> Times:
    wall, cpu = time.perf_counter(), time.process_time()
    session.ask(question)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--otlp", action="store_true")
    given = parser.parse_args()
    rows = (ROOT / "sample_corpus" / "questions.jsonl").read_text().splitlines()
    questions = [row["text"] for row in map(json.loads, rows) if not row["history"]][::3]
    with tempfile.TemporaryDirectory() as home, ExitStack() as held:
        settings = Settings(home=Path(home), engine="local")
        ingest(settings, build_embedder(settings), [str(ROOT / "sample_corpus")])
        if given.otlp:
            collector = held.enter_context(Collector())
            settings = settings.model_copy(update={"otlp_endpoint": collector.url})
        on = held.enter_context(open_session(settings))
        off = held.enter_context(open_session(settings, keep_traces=False))
        pairs = measure(on, off, questions, given.rounds)
        size = sum(file.stat().st_size for file in Path(home).glob("traces.db*"))
    report(pairs, size)


def measure(
    on: Session, off: Session, questions: list[str], rounds: int
) -> list[tuple[Times, Times]]:
    for question in questions:
        on.ask(question)
        off.ask(question)
    pairs = []
    gc.collect()
    gc.freeze()
    for number in range(rounds):
        for place, question in enumerate(questions):
            if (number + place) % 2:
                kept = seconds(on, question)
                pairs.append((kept, seconds(off, question)))
            else:
                bare = seconds(off, question)
                pairs.append((seconds(on, question), bare))
    return pairs


def cost(pairs: list[tuple[float, float]]) -> float:
    """Of the median turn without traces, the median that keeping one adds."""
    added = statistics.median(on - off for on, off in pairs)
    return added / statistics.median(off for _, off in pairs)


def report(measured: list[tuple[Times, Times]], size: int) -> None:
    for place, what in enumerate(("clock", "CPU")):
        pairs = [(on[place], off[place]) for on, off in measured]
        rng = random.Random(1)
        draws = sorted(cost(rng.choices(pairs, k=len(pairs))) for _ in range(400))
        on, off = (statistics.median(side) * 1000 for side in zip(*pairs, strict=True))
        print(f"{what}: {len(pairs)} pairs; median turn {off:.2f} ms without, {on:.2f} ms with")
        print(f"  cost {cost(pairs):+.2%} (95% {draws[10]:+.2%} to {draws[-11]:+.2%})")
    print(f"trace store {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
