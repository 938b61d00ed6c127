"""Writes rag/evidence/ranking.json: how likely an excerpt holds the answer.

    python tests/benchmarks/fit_ranking.py --docs DIR [--write]

DIR holds sources of real documentation, each with `files/` and `queries.jsonl`. Reported is each
source by weights fitted on the others; written are those fitted on all.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from fit_fingerprint import fingerprint
from real_docs import Source, holds, is_of, opened, sources

from rag.evidence.excerpts import excerpts_of
from rag.evidence.features import MeasuredExcerpt, measure_excerpts
from rag.evidence.ranking import distinct, likeliest
from rag.question.parse import parse_question
from rag.session import Session

TARGET = Path(__file__).resolve().parents[2] / "rag" / "evidence" / "ranking.json"
FEATURES = (
    "bm25",
    "cosine",
    "sentence",
    "chunk_score",
    "item",
    "length",
    "pairs",
)
RIDGE = 3.0
STEPS, RATE = 1500, 0.05
RETRIEVED = 8


@dataclass(frozen=True)
class Asked:
    """One question's excerpts: which of them hold the answer, in a file that has it."""

    source: str
    query: dict[str, Any]
    measured: Sequence[MeasuredExcerpt]
    right: Sequence[bool]


def measured(source: Source, session: Session) -> list[Asked]:
    reader = session.reader
    asked = []
    for query in source.answerable:
        question = parse_question(query["text"], reader)
        chunks = reader.search(query["text"], RETRIEVED)
        vector = reader.embedder.embed_query(question.text)
        found = measure_excerpts(question, vector, excerpts_of(chunks), chunks, reader.embedder)
        right = [
            is_of(chunks[each.excerpt.chunk]["source"], query)
            and holds(f"{innermost(each)}\n{each.excerpt.text}", query)
            for each in found
        ]
        asked.append(Asked(source.name, query, found, right))
    return asked


def innermost(each: MeasuredExcerpt) -> str:
    """The heading that is shown over the excerpt."""
    return each.excerpt.heading.rpartition(" > ")[2]


def fit(asked: Sequence[Asked]) -> dict[str, float]:
    """Conditional logit with a ridge, on standardised features, by Adam (Kingma and Ba 2015)."""
    told = [each for each in asked if any(each.right)]
    raw = [np.array([[m.features[f] for f in FEATURES] for m in each.measured]) for each in told]
    every = np.vstack(raw)
    mean, spread = every.mean(0), every.std(0) + 1e-9
    groups = [
        ((x - mean) / spread, np.array(e.right, float)) for x, e in zip(raw, told, strict=True)
    ]
    beta = np.zeros(len(FEATURES))
    first, second = np.zeros_like(beta), np.zeros_like(beta)
    for step in range(1, STEPS + 1):
        slope = 2 * RIDGE * beta
        for x, right in groups:
            odds = np.exp(x @ beta - (x @ beta).max())
            slope -= x.T @ (odds * right / (odds @ right) - odds / odds.sum())
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        beta -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
    return {name: round(float(b), 5) for name, b in zip(FEATURES, beta / spread, strict=True)}


def first_right(each: Asked, weights: dict[str, float]) -> int | None:
    """The place, from 0, of the first shown excerpt that holds the answer."""
    rights = {id(m): right for m, right in zip(each.measured, each.right, strict=True)}
    ranked = distinct(likeliest(each.measured, weights))
    return next((i for i, r in enumerate(ranked) if rights[id(r.measured)]), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    asked: list[Asked] = []
    with TemporaryDirectory() as home:
        for source in sources(given.docs):
            with opened(source, Path(home)) as session:
                asked += measured(source, session)
    total = np.zeros(4)
    for name in sorted({each.source for each in asked}):
        weights = fit([each for each in asked if each.source != name])
        left = [each for each in asked if each.source == name]
        places = [first_right(each, weights) for each in left]
        at = np.array([sum(p is not None and p < k for p in places) for k in (1, 2, 3, 8)])
        total += at
        print(f"{name:14} {len(left)} questions, right in the first 1, 2, 3, 8: {at}")
    print(f"{'all left out':14} {len(asked)}: {total / len(asked)}")
    weights = fit(asked)
    print(json.dumps(weights))
    if given.write:
        fitted = {"code": fingerprint("rag/evidence/ranking.json"), "weights": weights}
        TARGET.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
