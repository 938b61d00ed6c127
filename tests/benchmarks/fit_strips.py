"""Fits rag/answering/strip_model.json: which sentence of the relevant chunks holds the answer.

    python tests/benchmarks/fit_strips.py --data DIR [--write]

Fitted on half of squad2's articles and half of hotpotqa_sub, judged on the other halves.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from answer_sets import K, contains, fit_logistic, halves, load_set, relevant

from rag.answering.evidence import measure, term_weights
from rag.answering.logistic import Logistic
from rag.answering.question import analyse
from rag.answering.refine import sources_of
from rag.answering.strips import strips_of

TARGET = Path(__file__).resolve().parents[2] / "rag" / "answering" / "strip_model.json"
UNFITTED = Logistic(0.0, {}, 0.5)
YES_NO = {"yes", "no"}


def rows_of(collection, asked):
    found = []
    for question in asked:
        if not question.answerable or {a.lower() for a in question.answers} & YES_NO:
            continue
        chunks = relevant(collection.search(question.text, K))
        sources = sources_of(chunks)
        parsed = analyse(question.text)
        strips = strips_of(sources)
        weights = term_weights(parsed.terms, collection)
        measured = measure(parsed, sources, strips, weights, collection.embedder, UNFITTED)
        labels = [
            chunks[item.strip.source]["chunk_id"] in question.relevant
            and contains(item.strip.text, question.answers)
            for item in measured
        ]
        found.append(([item.features for item in measured], labels))
    return found


def hits(model, groups):
    places = []
    for rows, labels in groups:
        order = np.argsort([-model.probability(row) for row in rows], kind="stable")
        gold = np.flatnonzero(np.array(labels)[order])
        places.append(gold[0] if len(gold) else 99)
    return [round(float(np.mean(np.array(places) < n)), 3) for n in (1, 2, 3, 5)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    fitted, judged = [], {}
    for name in ("squad2", "hotpotqa_sub"):
        collection, asked = load_set(options.data, name)
        first, second = halves(asked)
        fitted += rows_of(collection, first)
        judged[name] = rows_of(collection, second)
    numbers = fit_logistic(
        [row for rows, _ in fitted for row in rows],
        [label for _, labels in fitted for label in labels],
    )
    numbers["threshold"] = 0.5
    model = Logistic(**numbers)
    for name, groups in judged.items():
        print(name, len(groups), "questions; gold in the first 1, 2, 3, 5:", hits(model, groups))
    for name, weight in sorted(numbers["weights"].items(), key=lambda item: -abs(item[1])):
        print(f"  {name:20} {weight:+.3f}")
    if options.write:
        numbers = {
            "intercept": round(numbers["intercept"], 4),
            "weights": {n: round(w, 4) for n, w in numbers["weights"].items()},
            "threshold": 0.5,
        }
        TARGET.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
