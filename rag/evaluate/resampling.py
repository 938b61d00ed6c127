"""How sure a mean over queries is, and whether two runs differ; deterministic by seed."""

from __future__ import annotations

from collections.abc import Sequence

_EXACT_UP_TO = 14
_BLOCK = 500
_RESAMPLES = 2_000


def bootstrap_interval(values: Sequence[float], *, seed: int) -> tuple[float, float] | None:
    """95 % percentile interval of the mean under resampling of the queries, None without values.

    Efron & Tibshirani 1993, "An introduction to the bootstrap", chapter 13.
    """
    import numpy as np

    if not values:
        return None
    sample = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    drawn = (random.integers(0, len(sample), (size, len(sample))) for size in _blocks(_RESAMPLES))
    means = np.concatenate([sample[places].mean(axis=1) for places in drawn])
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def paired_permutation(
    first: Sequence[float], second: Sequence[float], *, seed: int, permutations: int = 10_000
) -> float | None:
    """Two-sided p-value of the mean difference of pairs, None without pairs.

    Fisher's randomisation test by flipping the signs of the differences, as Smucker, Allan
    & Carterette 2007, "A comparison of statistical significance tests for information
    retrieval evaluation", recommend. Exact up to 14 pairs that differ.
    """
    import numpy as np

    if not first:
        return None
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    differences = differences[differences != 0]
    n = len(differences)
    if not n:
        return 1.0
    # A sum that differs only by rounding is as extreme as the one observed.
    observed = abs(differences.sum()) * (1 - 1e-9) - 1e-12
    if n <= _EXACT_UP_TO:
        flips = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return float((np.abs((1 - 2 * flips) @ differences) >= observed).mean())
    random = np.random.default_rng(seed)
    extreme = 0
    for size in _blocks(permutations):
        signs = 1 - 2 * random.integers(0, 2, (size, n))
        extreme += int((np.abs(signs @ differences) >= observed).sum())
    return (extreme + 1) / (permutations + 1)


def _blocks(total: int) -> list[int]:
    return [min(_BLOCK, total - start) for start in range(0, total, _BLOCK)]
