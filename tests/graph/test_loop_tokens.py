"""A loop of corrections costs the same at each step: nothing of the steps before is sent again."""

from pathlib import Path

import pytest
from loop_tokens import Call, corrected, processed


@pytest.mark.parametrize(
    ("base", "adds", "steps", "accumulated", "overwritten"),
    [(1_000, 500, 10, 37_500, 15_000), (0, 1_000, 20, 210_000, 20_000)],
)
def test_the_arithmetic_of_accumulating(base, adds, steps, accumulated, overwritten):
    calls = [Call(base, adds)] * steps
    assert sum(processed(calls, accumulated=True)) == accumulated
    assert sum(processed(calls, accumulated=False)) == overwritten


def test_a_correction_costs_no_more_for_those_before_it(tmp_path: Path):
    before, *loops = corrected(tmp_path, 10)
    costs = [sum(processed(loop, accumulated=False)) for loop in loops]
    assert before
    assert max(costs[5:]) <= 1.1 * max(costs[:5])
    calls = [call for loop in loops for call in loop]
    whole = sum(processed(calls, accumulated=True))
    assert sum(costs) <= 0.4 * whole, "by the same arithmetic 15,000 of 37,500"
