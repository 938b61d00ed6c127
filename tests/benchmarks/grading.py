"""Each set graded by coefficients fitted on the others only, beside a cosine threshold.

python tests/benchmarks/grading.py --data DIR
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from fit_grader import (
    abstention_f1,
    arguments,
    balanced_accuracy,
    deciding,
    enough,
    fit,
    labelled_sets,
    pairs_of,
    refused,
)
from grader_rows import Asked, cached_rows

from rag.engines.local.grader_model import GraderModel, model_from
from rag.evaluate import metrics

_HEAD = (
    "set            corpus     n   base   cosine     AUC     ECE  bal.acc  abstain-F1  foreign-ok"
    "  absent-ok  own-lost  enough(found)  enough(not)  verdicts +/?/- (share right)"
)


def auc(scores: Any, truth: Any) -> float:
    """The chance that a relevant chunk scores above another one; no number without both."""
    found = metrics.auc(scores, truth)
    return float("nan") if found is None else found


def calibration_error(sure: Any, truth: Any, bins: int = 10) -> float:
    place = np.minimum((sure * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(sure[place == b].mean() - truth[place == b].mean()) * (place == b).mean()
            for b in range(bins)
            if (place == b).any()
        )
    )


def line(name: str, size: str, rows: Sequence[Asked], model: GraderModel) -> dict[str, float]:
    own = [row for row in rows if not row.foreign]
    sure, truth = pairs_of(own, model)
    cosines = np.array(
        [
            chunk["cosine"]
            for row in own
            for chunk, label in zip(row.chunks, row.labels, strict=True)
            if label is not None
        ]
    )
    decides, _ = pairs_of(own, model, deciding)
    foreign = [row for row in rows if row.foreign]
    result = {
        "cosine": auc(cosines, truth),
        "auc": auc(sure, truth),
        "ece": calibration_error(sure, truth),
        "balanced": balanced_accuracy(decides, truth, model.relevant),
        "f1": abstention_f1(rows, model),
    }
    lost = refused(own, model)
    absent = refused([row for row in rows if row.absent], model)
    sure_enough = [enough_for(row, model) for row in rows]
    found = np.array([row.found for row in rows])
    enough_of = {kind: np.array(sure_enough)[found == kind].mean() for kind in (True, False)}
    verdicts = []
    bands = (
        decides >= model.correct,
        (decides < model.correct) & (sure >= model.incorrect),
        sure < model.incorrect,
    )
    for band in bands:
        share = truth[band].mean() if band.any() else float("nan")
        verdicts.append(f"{band.mean():.2f} ({share:.2f})")
    print(
        f"{name:14s} {size:>6s} {len(truth):5d}  {truth.mean():.3f}    {result['cosine']:.3f}"
        f"   {result['auc']:.3f}   {result['ece']:.3f}    {result['balanced']:.3f}"
        f"       {result['f1']:.3f}       {refused(foreign, model):.3f}     {absent:.3f}"
        f"     {lost:.3f}"
        f"          {enough_of[True]:.3f}        {enough_of[False]:.3f}"
        f"  {' '.join(verdicts)}"
    )
    return result


def enough_for(row: Asked, model: GraderModel) -> bool:
    return model.enough.probability(enough(row, model)) >= model.enough.threshold


def main() -> None:
    given = arguments(__doc__)
    sets = labelled_sets(given)
    rows = cached_rows(sets, given.seed, given.questions, given.cache)
    print(_HEAD)
    whole: list[dict[str, float]] = []
    small: list[dict[str, float]] = []
    for one in sets:
        # A documentation is judged by what was fitted without it, a set likewise.
        model = model_from(fit([row for row in rows if row.set_name != one.name]))
        held_out = [row for row in rows if row.set_name == one.name]
        whole.append(line(one.name, "full", [r for r in held_out if r.size == "full"], model))
        few = [r for r in held_out if r.size in ("30", "100", "300")]
        small.append(line(one.name, "30-300", few, model))
    for size, results in (("full", whole), ("30-300", small)):
        means = {key: np.mean([result[key] for result in results]) for key in results[0]}
        print(f"mean {size:>16s} " + "  ".join(f"{k} {v:.3f}" for k, v in means.items()))
    times = [row.milliseconds for row in rows]
    print(
        f"grading 8 chunks: median {np.median(times):.0f} ms, p95 {np.percentile(times, 95):.0f} ms"
    )


if __name__ == "__main__":
    main()
