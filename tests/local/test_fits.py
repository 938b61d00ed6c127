import json
from importlib import import_module
from pathlib import Path

import fitted_features
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def test_what_the_grader_was_fitted_on_is_measured_as_it_was():
    kept = json.loads(fitted_features.KEPT.read_text(encoding="utf-8"))
    now = fitted_features.measured()
    assert len(now) == len(kept) > 0
    for row, before in zip(now, kept, strict=True):
        assert row == pytest.approx(before, abs=1e-4), "stale: run `make fit` (CONTRIBUTING.md)"


@pytest.mark.parametrize("script", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_every_benchmark_and_fit_can_be_imported(script):
    if script.startswith("train_"):
        pytest.importorskip("torch", reason="training alone needs torch")
    assert import_module(script).__doc__
