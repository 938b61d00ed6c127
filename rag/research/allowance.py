"""The calls and tokens that a run may ask of a model; each round shares out what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from state.answer import add_usages
from state.research_state import Artifact, ResearchState

MOST_CALLS, MOST_TOKENS = 20, 60_000
"""Of a run until it ends or asks the person; after each answer of theirs as much again."""
CALLS_BESIDE, TOKENS_BESIDE = 4, 13_000
"""Kept for what is no subtask: to reflect, to plan again and reflect on that, and to write."""
TOKENS_OF_CALL = 1_200
"""Of a searcher's call, beside the documents: what it is told, and its reply."""
KNOWN_TOKENS = 1_000
"""Of what earlier rounds found, which a searcher is told too."""
READ_TOKENS, REREAD_TOKENS, LEAST_READ = 6_000, 3_000, 1_000
"""The most tokens of documents in a first reading and in a second, and the least in one."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The calls and tokens that the next round's subtasks may take."""

    calls: int = MOST_CALLS
    tokens: int = MOST_TOKENS
    of_call: int = TOKENS_OF_CALL

    @classmethod
    def left(cls, state: ResearchState, artifacts: Sequence[Artifact]) -> Allowance:
        """What is left of the run's; a first round may take three quarters of it."""
        spent = add_usages([state["usage"], *(artifact["usage"] for artifact in artifacts)])
        times = 1 + len(state["guidance"])
        calls = times * MOST_CALLS - spent["llm_calls"] - CALLS_BESIDE
        tokens = times * MOST_TOKENS - spent["input_tokens"] - spent["output_tokens"]
        tokens -= TOKENS_BESIDE
        if not state["plan"]:
            return cls(calls, tokens * 3 // 4)
        return cls(calls, tokens, TOKENS_OF_CALL + KNOWN_TOKENS)

    @property
    def subtasks(self) -> int:
        """How many subtasks can each read once."""
        return max(min(self.calls, self.tokens // (self.of_call + LEAST_READ)), 0)

    def tokens_of_readings(self, subtasks: int) -> list[int]:
        """How many tokens of documents each of so many subtasks may read at first and, where there
        is enough for all, for what it then still looks for.
        """
        share = self.tokens // max(subtasks, 1)
        both = share - 2 * self.of_call
        first = min(both * 3 // 4, both - LEAST_READ, READ_TOKENS)
        if 2 * subtasks <= self.calls and first >= LEAST_READ:
            return [first, min(both - first, REREAD_TOKENS)]
        return [min(max(share - self.of_call, LEAST_READ), READ_TOKENS)]
