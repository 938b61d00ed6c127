"""Writes rag/engines/local/grader.json: the grader's coefficients and thresholds.

    python tests/benchmarks/fit_grader.py --data DIR    (DIR/SET/corpus.jsonl, queries.jsonl)
    python tests/benchmarks/fit_grader.py --data DIR --judge

Judged, each set is graded by coefficients that were fitted on the others only; nothing is written.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from labelled import Asked, asked_rows, load_set

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from fitted_features import keep

from rag.engines.local.grader_model import GraderModel, model_from
from rag.evaluate import metrics

CHUNK = ["lead"]
IN_DOMAIN = ["cosine", "covered", "terms", "chunks"]
FILE = Path(__file__).parents[2] / "rag" / "engines" / "local" / "grader.json"
SETS = ("scifact", "squad2", "hotpotqa_sub", "mtrag_clapnq")
DOCS = ("rust_book", "sqlite_utils", "otel", "rfcs")
"""Documentations: what the collection inside of is fitted on them too. Which of their chunks are
relevant nobody judged one by one."""
OF_ABSENT = 0.3
"""What questions that a documentation was read for in vain count against foreign ones. With 1 they
are refused no more often at the same number of answerable ones refused."""
WEIGHT_OF_SET = {"mtrag_clapnq": 0.5, **dict.fromkeys(DOCS, 2.0)}
"""The first's judgements are incomplete: many passages left unjudged do answer. Documentation is
what people ask of, and has few questions here."""

IN_DOMAIN_FROM = 0.28
"""From here on the collection knows of the matter. Over thirteen documentations, nine of which are
in no fit, this refuses 17 of 221 answerable questions and 28 of 59 absent and near-miss ones; .25
refuses 14 and 23, .33 25 and 30."""

_RIDGE = 3.0


def logistic(
    table: Sequence[dict[str, float]], names: Sequence[str], labels: Sequence[bool], weights: Any
) -> dict[str, Any]:
    """Weighted ridge logistic regression by Newton's method, on standardised features."""
    raw = np.array([[row[name] for name in names] for row in table])
    mean, spread = raw.mean(0), raw.std(0) + 1e-9
    design = np.c_[np.ones(len(raw)), (raw - mean) / spread]
    truth, share = np.array(labels, float), np.array(weights) / np.mean(weights)
    penalty = np.diag([1e-6] + [_RIDGE] * len(names))
    beta = np.zeros(design.shape[1])
    for _ in range(25):
        guess = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        slope = design.T @ (share * (guess - truth)) + penalty @ beta
        curve = (design * (share * np.maximum(guess * (1 - guess), 1e-6))[:, None]).T @ design
        step = np.linalg.solve(curve + penalty, slope)
        beta -= step
        if np.abs(step).max() < 1e-6:
            break
    scaled = beta[1:] / spread
    return {
        "intercept": round(float(beta[0] - scaled @ mean), 5),
        "weights": {name: round(float(w), 5) for name, w in zip(names, scaled, strict=True)},
        "threshold": 0.5,
    }


def fit(rows: Sequence[Asked]) -> dict[str, Any]:
    """The content of grader.json."""
    own = [row for row in rows if not row.foreign and row.set_name not in DOCS]
    pairs = [
        (row, chunk, label)
        for row in own
        for chunk, label in zip(row.chunks, row.labels, strict=True)
        if label is not None
    ]
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    asked, chunks, labels = (list(column) for column in zip(*pairs, strict=True))
    chunk = logistic(chunks, CHUNK, labels, _even(asked, of_full=2.0))
    told = [row for row in rows if row.foreign or True in row.labels]
    inside = [not row.foreign for row in told]
    in_domain = logistic([row.in_domain for row in told], IN_DOMAIN, inside, _even(told))
    in_domain["threshold"] = IN_DOMAIN_FROM
    # `fit_reader.py` fits what stands in for `in_domain` where somebody reads.
    data: dict[str, Any] = {**kept, "chunk": chunk, "in_domain": in_domain}
    data["chunk"]["threshold"] = _relevant_from(rows, model_from(data))
    return data


def refused(rows: Sequence[Asked], model: GraderModel) -> float:
    """The share of the questions that nothing is found for."""
    known = (model.in_domain.probability(row.in_domain) for row in rows)
    outside = [not model.is_in_domain(each) for each in known]
    return float(np.mean(outside)) if outside else 0.0


def abstention_f1(rows: Sequence[Asked], model: GraderModel) -> float:
    """F1 of abstaining, own and foreign questions half and half."""
    right = refused([row for row in rows if row.foreign], model)
    wrong = refused([row for row in rows if not row.foreign], model)
    return 2 * right / (1 + right + wrong)


def balanced_accuracy(sure: Any, truth: Any, threshold: float) -> float:
    return float(((sure[truth] >= threshold).mean() + (sure[~truth] < threshold).mean()) / 2)


def _relevant_from(rows: Sequence[Asked], model: GraderModel) -> float:
    """What does best, on average over the sets, at telling chunks apart."""
    grid = [step / 100 for step in range(1, 86)]
    wells, sets = [], []
    for name in sorted({row.set_name for row in rows} - set(DOCS)):
        own = (row for row in rows if row.set_name == name and not row.foreign)
        whole = [row for row in own if row.size == "full"]
        decides, truth = pairs_of(whole, model, deciding=True)
        wells.append([balanced_accuracy(decides, truth, threshold) for threshold in grid])
        sets.append(WEIGHT_OF_SET.get(name, 1.0))
    return grid[int(np.argmax(np.average(wells, axis=0, weights=sets)))]


def pairs_of(
    rows: Sequence[Asked], model: GraderModel, *, deciding: bool = False
) -> tuple[Any, Any]:
    """Confidence and truth of every judged chunk. What one is called relevant by (`deciding`) is 0
    where the matter is unknown.
    """
    found = []
    for row in rows:
        known = model.in_domain.probability(row.in_domain)
        counts = model.is_in_domain(known) or not deciding
        for chunk, label in zip(row.chunks, row.labels, strict=True):
            if label is not None:
                found.append((model.confidence(chunk, known) if counts else 0.0, label))
    return np.array([sure for sure, _ in found]), np.array([label for _, label in found], bool)


def _even(rows: Sequence[Asked], of_full: float = 1.0) -> list[float]:
    """Every set, size and kind of question counts the same, however many rows it gave."""
    kinds = [(row.set_name, row.size, row.foreign, row.absent) for row in rows]
    counts = Counter(kinds)
    return [
        WEIGHT_OF_SET.get(row.set_name, 1.0)
        * (of_full if row.size == "full" else 1.0)
        * (OF_ABSENT if row.absent else 1.0)
        / counts[kind]
        for row, kind in zip(rows, kinds, strict=True)
    ]


def figures(rows: Sequence[Asked], model: GraderModel) -> dict[str, float]:
    own = [row for row in rows if not row.foreign]
    found = metrics.auc(*pairs_of(own, model))
    return {
        "AUC": float("nan") if found is None else found,  # without both there is none
        "F1 of abstaining": abstention_f1(rows, model),
        "foreign refused": refused([row for row in rows if row.foreign], model),
        "absent refused": refused([row for row in rows if row.absent], model),
        "own refused": refused(own, model),
    }


def judge(rows: Sequence[Asked]) -> None:
    every = []
    for name in dict.fromkeys(row.set_name for row in rows):
        model = model_from(fit([row for row in rows if row.set_name != name]))
        held_out = [row for row in rows if row.set_name == name and row.size == "full"]
        every.append((name, figures(held_out, model)))
    every.append(("mean", {each: np.nanmean([f[each] for _, f in every]) for each in every[0][1]}))
    for name, found in every:
        print(name, ", ".join(f"{each} {value:.3f}" for each, value in found.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--docs", type=Path, help="a folder of documentations")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--questions", type=int, default=120, help="on each whole set, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judge", action="store_true")
    given = parser.parse_args()
    docs = [] if given.docs is None else [given.docs / name for name in DOCS]
    sets = [load_set(folder) for folder in (*(given.data / name for name in given.sets), *docs)]
    rows = asked_rows(sets, given.seed, given.questions)
    if given.judge:
        judge(rows)
    else:
        write(fit(rows))


def write(fitted: dict[str, Any]) -> None:
    FILE.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    keep()
    print(FILE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
