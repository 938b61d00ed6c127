"""Bounded retries that honour Retry-After and the time a request may take."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from rag.endpoint.failures import Failure, foreign_errors

T = TypeVar("T")

FIRST_DELAY = 0.25
LONGEST_DELAY = 8.0
UNREACHABLE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Retries:
    """`count` retries at most, all within `seconds` of the first attempt.

    A host that nobody answers at is given up after two seconds, whatever `seconds` is:
    waiting does not start a server.
    """

    count: int
    seconds: float
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def run(
        self,
        attempt: Callable[[float], T],
        describe: Callable[[Exception], Failure],
    ) -> T:
        """`attempt(seconds left)`, again after each failure that may pass.

        Raises:
            CragError: what `describe` made of the last failure.
        """
        start = self.clock()
        rarely = 0
        for tried in range(self.count + 1):
            left = self.seconds - (self.clock() - start)
            try:
                return attempt(max(left, 0.001))
            except foreign_errors() as error:
                failure = describe(error)
            rarely += failure.retries < self.count
            if tried >= self.count or rarely > failure.retries:
                break
            wait = failure.wait
            if wait is None:
                longest = min(FIRST_DELAY * 2**tried, LONGEST_DELAY)
                wait = longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries only
            limit = min(self.seconds, UNREACHABLE_SECONDS) if failure.unreachable else self.seconds
            if self.clock() - start + wait >= limit:
                break
            self.sleep(wait)
        raise failure.error from None
