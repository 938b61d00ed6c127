"""Retries are bounded in number and time, and wait as long as they were asked to."""

import pytest

from rag.endpoint.failures import Failure
from rag.endpoint.retry import Retries
from state.errors import ModelError


class Clock:
    """A clock that only sleeping (and failing attempts) moves."""

    def __init__(self):
        self.now = 0.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def run(clock, failures, *, count=5, seconds=60.0, each=0.0):
    """Attempts that fail as listed, then succeed; gives what they were told of time left."""
    left_to_each = []
    pending = iter(failures)

    def attempt(left):
        left_to_each.append(left)
        clock.now += each
        failure = next(pending, None)
        if failure is not None:
            raise OSError(failure)
        return "done"

    retries = Retries(count, seconds, sleep=clock.sleep, clock=clock)
    result = retries.run(attempt, lambda error: error.args[0])
    return result, left_to_each


def failing(**how):
    return Failure(ModelError("It failed."), **{"retries": 1000, **how})


def test_success_waits_for_nothing():
    clock = Clock()
    assert run(clock, []) == ("done", [60.0])
    assert clock.slept == []


def test_waits_grow_and_are_bounded():
    clock = Clock()
    run(clock, [failing()] * 8, count=8, seconds=300)
    for tried, slept in enumerate(clock.slept):
        longest = min(0.25 * 2**tried, 8.0)
        assert longest / 2 <= slept <= longest


@pytest.mark.parametrize(("count", "allowed", "attempts"), [(3, 1000, 4), (3, 1, 2), (0, 9, 1)])
def test_the_number_is_bounded_by_the_settings_and_the_failure(count, allowed, attempts):
    clock = Clock()
    with pytest.raises(ModelError):
        run(clock, [failing(retries=allowed)] * 20, count=count)
    assert len(clock.slept) == attempts - 1


def test_a_rare_failure_is_counted_apart_from_passing_ones():
    passing, rare = failing(), failing(retries=1)
    assert run(Clock(), [passing, passing, rare, passing])[0] == "done"
    with pytest.raises(ModelError):
        run(Clock(), [passing, rare, passing, rare])


def test_a_wait_that_was_asked_for_is_kept():
    clock = Clock()
    run(clock, [failing(wait=7.0)])
    assert clock.slept == [7.0]


def test_a_wait_longer_than_the_time_left_fails_at_once():
    clock = Clock()
    with pytest.raises(ModelError):
        run(clock, [failing(wait=600.0)])
    assert clock.slept == []


def test_an_unreachable_host_is_given_up_early():
    clock = Clock()
    with pytest.raises(ModelError):
        run(clock, [failing(unreachable=True)] * 20, count=10)
    assert clock.now < 2.5


def test_each_attempt_is_told_the_time_that_is_left():
    clock = Clock()
    with pytest.raises(ModelError):
        run(clock, [failing(wait=1.0)] * 20, count=10, seconds=10.0, each=3.0)
    assert clock.now <= 13.0


def test_other_errors_pass_through():
    with pytest.raises(ZeroDivisionError):
        Retries(3, 60.0).run(lambda _: 1 / 0, lambda _: failing())
