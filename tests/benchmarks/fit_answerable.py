"""Fits rag/engines/local/answerable.json: does the best sentence answer, or only look like it?

    python tests/benchmarks/fit_answerable.py --data DIR [--write]

On squad2 (half of its questions have no answer in the paragraph that they were written against),
hotpotqa_sub (questions that bridge two passages), hotpotqa_sub again without the passages that
answer, and the questions of sample_corpus that have an answer (short ones, to manuals). Judged
by cross-validation, no article or question on both sides; mtrag_clapnq is never fitted on.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from answer_sets import Asked, K, auc, fit_logistic, grades, load_set, relevant

from rag.answering.logistic import Logistic
from rag.answering.refine import refine
from rag.engines.local.answer import examine
from rag.evaluate.datasets import load_dataset
from rag.ingest.run import ingest
from rag.opening import build_embedder
from rag.session import open_session
from state.settings import load_settings

SAMPLE = Path(__file__).resolve().parents[2] / "sample_corpus"
TARGET = Path(__file__).resolve().parents[2] / "rag" / "engines" / "local" / "answerable.json"
STRENGTH = 20.0
FOLDS = 5
SEEDS = 4
WEIGHTS = {
    "squad2": 1.0,
    "hotpotqa_sub": 0.4,
    "hotpotqa_sub without gold": 0.2,
    "sample_corpus": 2.0,
}
HELD_OUT = "mtrag_clapnq"
THRESHOLD = 0.455
"""More refuses hotpotqa_sub and short questions faster than what cannot be answered."""


@dataclass(frozen=True)
class Rows:
    features: list
    labels: np.ndarray
    groups: list


def rows_of(collection, asked, *, without_gold=False):
    features, labels, groups = [], [], []
    for question in asked:
        chunks = relevant(collection.search(question.text, K))
        if without_gold:
            chunks = [c for c in chunks if c["chunk_id"] not in question.relevant]
        passages = refine(question.text, chunks, grades(chunks), collection)
        examined = examine(question.text, passages, collection) if passages else None
        if examined is not None:
            features.append(examined.features)
            labels.append(question.answerable and not without_gold)
            groups.append(question.group)
    return Rows(features, np.array(labels, bool), groups)


def sample_rows():
    """Of sample_corpus, through a real index of chunks; follow-ups left out."""
    with TemporaryDirectory() as home:
        settings = load_settings({"home": Path(home), "engine": "local"})
        ingest(settings, build_embedder(settings), [str(SAMPLE)])
        with open_session(settings) as session:
            asked = [
                Asked(query.text, query.answers, set(query.relevant), True, f"sample {query.id}")
                for query in load_dataset(SAMPLE).queries
                if query.answerable and not query.history
            ]
            return rows_of(session.reader, asked)


def measured_rows(data):
    found = {"sample_corpus": sample_rows()}
    for name in ("squad2", "hotpotqa_sub", HELD_OUT):
        collection, asked = load_set(data, name)
        found[name] = rows_of(collection, asked)
        if f"{name} without gold" in WEIGHTS:
            found[f"{name} without gold"] = rows_of(collection, asked, without_gold=True)
    return found


def fit(rows_by_set, kept):
    """`kept` says which rows of each set to fit on."""
    features, labels, weights = [], [], []
    for name, weight in WEIGHTS.items():
        rows = rows_by_set[name]
        for i in np.flatnonzero(kept[name]):
            features.append(rows.features[i])
            labels.append(rows.labels[i])
            weights.append(weight)
    return Logistic(**fit_logistic(features, labels, STRENGTH, weights=weights), threshold=0.5)


def folds_of(rows_by_set, seed):
    """One question of hotpotqa_sub stays on one side, with its passages or without."""
    groups = sorted({group for rows in rows_by_set.values() for group in rows.groups})
    np.random.default_rng(seed).shuffle(groups)
    fold = {group: i % FOLDS for i, group in enumerate(groups)}
    return {
        name: np.array([fold[group] for group in rows.groups]) for name, rows in rows_by_set.items()
    }


def cross_validated(rows_by_set):
    found = {name: np.zeros(len(rows.labels)) for name, rows in rows_by_set.items()}
    for seed in range(SEEDS):
        folds = folds_of(rows_by_set, seed)
        for fold in range(FOLDS):
            model = fit(rows_by_set, {name: folds[name] != fold for name in folds})
            for name, rows in rows_by_set.items():
                for i in np.flatnonzero(folds[name] == fold):
                    found[name][i] += model.probability(rows.features[i]) / SEEDS
    return found


def report(probabilities, rows_by_set):
    p, y = probabilities["squad2"], rows_by_set["squad2"].labels
    print(f"squad2: AUC {auc(p, y):.3f}")
    for t in (0.3, 0.35, 0.4, 0.42, 0.44, 0.455, 0.47, 0.5, 0.55):
        answered, refused = (p[y] >= t).mean(), (p[~y] < t).mean()
        hotpot = (probabilities["hotpotqa_sub"] >= t).mean()
        sample = (probabilities["sample_corpus"] >= t).mean()
        mtrag, truth = probabilities[HELD_OUT], rows_by_set[HELD_OUT].labels
        print(
            f"  at {t:.3f}: answers {answered:.3f} of the answerable, refuses {refused:.3f} of the"
            f" others, balanced accuracy {(answered + refused) / 2:.3f}; answers {hotpot:.3f} of"
            f" hotpotqa_sub, {sample:.3f} of sample_corpus; {HELD_OUT}: answers"
            f" {(mtrag[truth] >= t).mean():.3f}, refuses {(mtrag[~truth] < t).mean():.3f}"
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows_by_set = measured_rows(options.data)
    report(cross_validated(rows_by_set), rows_by_set)
    model = fit(
        rows_by_set, {name: np.ones(len(r.labels), bool) for name, r in rows_by_set.items()}
    )
    for name, weight in sorted(model.weights.items(), key=lambda item: -abs(item[1])):
        print(f"  {name:20} {weight:+.3f}")
    if options.write:
        numbers = {
            "intercept": round(model.intercept, 4),
            "weights": {n: round(w, 4) for n, w in model.weights.items()},
            "threshold": THRESHOLD,
        }
        TARGET.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
