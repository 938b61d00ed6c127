from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import fit_fingerprint as fits
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("fitted", sorted(fits.MADE_BY))
def test_a_fitted_file_was_fitted_by_the_code_that_stands(fitted):
    kept = json.loads((fits.ROOT / fitted).read_text(encoding="utf-8"))
    assert kept["code"] == fits.fingerprint(fitted), "stale: run `make fit` (CONTRIBUTING.md)"


@pytest.mark.parametrize("script", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_every_benchmark_and_fit_can_be_imported(script):
    assert import_module(script).__doc__
