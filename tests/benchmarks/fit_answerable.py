"""Fits rag/engines/local/answerable.json: does the best sentence answer, or only look like it?

    python tests/benchmarks/fit_answerable.py --data DIR [--write]

Fitted on half of squad2's articles (half of its questions have no answer in the paragraph that
they were written against), judged on the other half; hotpotqa_sub and mtrag_clapnq show how
often questions that do have an answer are refused.
"""

# ruff: noqa: E501

from __future__ import annotations

import argparse
import json
import pickle
from pathlib import Path

import numpy as np
from answer_sets import K, auc, fit_logistic, grades, load_set, relevant

from rag.answering.logistic import Logistic
from rag.answering.refine import refine
from rag.engines.local.answer import examine

TARGET = Path(__file__).resolve().parents[2] / "rag" / "engines" / "local" / "answerable.json"
STRENGTH = 60.0
FOLDS = 6


def rows_of(collection, asked):
    rows, labels, groups = [], [], []
    for question in asked:
        chunks = relevant(collection.search(question.text, K))
        passages = refine(question.text, chunks, grades(chunks), collection)
        if passages:
            rows.append(examine(question.text, passages, collection).features)
            labels.append(question.answerable)
            groups.append(question.group)
    return rows, labels, groups


def balanced(probabilities, labels, threshold):
    p, y = np.array(probabilities), np.array(labels, bool)
    return ((p[y] >= threshold).mean() + (p[~y] < threshold).mean()) / 2


def best_threshold(probabilities, labels):
    return max(np.arange(0.2, 0.8, 0.01), key=lambda t: balanced(probabilities, labels, t))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rows", help="a pickle to keep the measured rows in")
    options = parser.parse_args()
    if options.rows and Path(options.rows).exists():
        measured = pickle.loads(Path(options.rows).read_bytes())
    else:
        measured = {}
        for name in ("squad2", "hotpotqa_sub", "mtrag_clapnq"):
            measured[name] = rows_of(*load_set(options.data, name))
        if options.rows:
            Path(options.rows).write_bytes(pickle.dumps(measured))
    rows, labels, groups = measured["squad2"]
    names = sorted(set(groups))
    for seed in range(3):
        np.random.default_rng(seed).shuffle(names)
        side = {group: i % 2 for i, group in enumerate(names)}
        first = [i for i, group in enumerate(groups) if side[group] == 0]
        second = [i for i, group in enumerate(groups) if side[group] == 1]
        for fit_on, judge_on in ((first, second), (second, first)):
            model = fit([rows[i] for i in fit_on], [labels[i] for i in fit_on])
            p = [model.probability(rows[i]) for i in judge_on]
            y = [labels[i] for i in judge_on]
            t = best_threshold(
                [model.probability(rows[i]) for i in fit_on], [labels[i] for i in fit_on]
            )
            print(
                f"seed {seed}: auc {auc(p, y):.3f} balanced accuracy at .5 {balanced(p, y, 0.5):.3f} at {t:.2f} {balanced(p, y, t):.3f}"
            )
    names = sorted(set(groups))
    np.random.default_rng(0).shuffle(names)
    first = set(names[::2])
    fit_on = [i for i, group in enumerate(groups) if group in first]
    model = fit([rows[i] for i in fit_on], [labels[i] for i in fit_on])
    for name in ("hotpotqa_sub", "mtrag_clapnq"):
        other, answerable, _ = measured[name]
        p = [model.probability(row) for row, y in zip(other, answerable, strict=True) if y]
        print(
            name,
            "answerable and answered at .3 .4 .5:",
            [round(float(np.mean(np.array(p) >= t)), 3) for t in (0.3, 0.4, 0.5)],
        )
    for name, weight in sorted(model.weights.items(), key=lambda item: -abs(item[1])):
        print(f"  {name:24} {weight:+.3f}")
    if options.write:
        numbers = {
            "intercept": round(model.intercept, 4),
            "weights": {n: round(w, 4) for n, w in model.weights.items()},
            "threshold": 0.45,
        }
        TARGET.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


def fit(rows, labels):
    return Logistic(**fit_logistic(rows, labels, STRENGTH), threshold=0.5)


if __name__ == "__main__":
    main()
