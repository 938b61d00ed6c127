"""Each set graded by coefficients fitted on the others only, and judged by it.

python tests/benchmarks/grading.py --data DIR
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from fit_grader import abstention_f1, arguments, fit, labelled_sets, pairs_of, refused
from grader_rows import Asked, asked_rows

from rag.engines.local.grader_model import GraderModel, model_from
from rag.evaluate import metrics


def auc(scores: Any, truth: Any) -> float:
    """The chance that a relevant chunk scores above another one; no number without both."""
    found = metrics.auc(scores, truth)
    return float("nan") if found is None else found


def figures(rows: Sequence[Asked], model: GraderModel) -> dict[str, float]:
    own = [row for row in rows if not row.foreign]
    sure, truth = pairs_of(own, model)
    return {
        "chunks": len(truth),
        "AUC": auc(sure, truth),
        "F1 of abstaining": abstention_f1(rows, model),
        "foreign refused": refused([row for row in rows if row.foreign], model),
        "absent refused": refused([row for row in rows if row.absent], model),
        "own refused": refused(own, model),
    }


def main() -> None:
    given = arguments(__doc__)
    sets = labelled_sets(given)
    rows = asked_rows(sets, given.seed, given.questions)
    every = []
    for one in sets:
        # A documentation is judged by what was fitted without it, a set likewise.
        model = model_from(fit([row for row in rows if row.set_name != one.name]))
        held_out = [row for row in rows if row.set_name == one.name and row.size == "full"]
        every.append(figures(held_out, model))
        print(one.name, ", ".join(f"{name} {value:.3f}" for name, value in every[-1].items()))
    means = {name: np.nanmean([found[name] for found in every]) for name in every[0]}
    print("mean", ", ".join(f"{name} {value:.3f}" for name, value in means.items()))


if __name__ == "__main__":
    main()
