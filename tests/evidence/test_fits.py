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


def test_every_fitted_file_is_accounted_for():
    found = {
        str(path.relative_to(fits.ROOT))
        for path in (fits.ROOT / "rag").rglob("*.json")
        if path.name != "sentence_words.json"
    }
    assert found == set(fits.MADE_BY)


def test_the_ranking_weighs_what_is_measured():
    kept = json.loads((fits.ROOT / "rag/evidence/ranking.json").read_text(encoding="utf-8"))
    assert set(kept["weights"]) == set(import_module("fit_ranking").FEATURES)


@pytest.mark.parametrize("script", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_every_benchmark_and_fit_can_be_imported(script):
    assert import_module(script).__doc__
