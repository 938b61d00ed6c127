"""A run as it is planned and reflected on: what was found, what is open, and the tokens that it may
still ask of a model, which each round shares out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from state.answer import add_usages
from state.research_state import Artifact, ResearchState

MOST_TOKENS = 60_000
"""Of a run until it ends or asks the person; after each answer of theirs as much again."""
TOKENS_BESIDE = 13_000
"""Kept for what is no subtask: to reflect, to plan again and reflect on that, and to write."""
LEAST_OF_CALL = 2_900
"""A call counts for so many at least, so that a run has twenty calls at most."""
TOKENS_OF_CALL = 1_200
"""Of a searcher's call, beside the documents: what it is told, and its reply."""
READ_TOKENS, REREAD_TOKENS, LEAST_READ = 6_000, 3_000, 1_000
"""The most tokens of documents in a first reading and in a second, and the least in one."""


@dataclass(frozen=True, slots=True)
class RunView:
    """Of artifacts a planner is shown only what was searched for them."""

    state: ResearchState
    artifacts: Sequence[Artifact] = ()

    @property
    def open(self) -> dict[str, str]:
        """What was searched for and not found, each part with the heading of its section, but for
        what reflection closed: what was found later, or what the question does not ask.
        """
        return {
            part: artifact["heading"]
            for artifact in self.artifacts
            for part in artifact["missing"]
            if part not in self.state["closed"]
        }

    @property
    def tokens_left(self) -> int:
        """What the next round's subtasks may take; those of a first round three quarters of it."""
        usages = (artifact["usage"] for artifact in self.artifacts)
        spent = add_usages([self.state["usage"], *usages])
        tokens = spent["input_tokens"] + spent["output_tokens"]
        counted = max(tokens, spent["llm_calls"] * LEAST_OF_CALL)
        left = (1 + len(self.state["guidance"])) * MOST_TOKENS - counted - TOKENS_BESIDE
        return left if self.state["plan"] else left * 3 // 4

    @property
    def most_subtasks(self) -> int:
        """How many subtasks can each read once."""
        return max(self.tokens_left // LEAST_OF_CALL, 0)

    def tokens_of_readings(self, subtasks: int) -> list[int]:
        """How many tokens of documents each of so many subtasks may read at first and, where there
        is enough for all, for what it then still looks for: not where a round before did.
        """
        share = self.tokens_left // max(subtasks, 1)
        if self.state["rounds"] or share < 2 * LEAST_OF_CALL:
            return [min(max(share - TOKENS_OF_CALL, LEAST_READ), READ_TOKENS)]
        both = share - 2 * TOKENS_OF_CALL
        first = min(both * 3 // 4, READ_TOKENS)
        return [first, min(both - first, REREAD_TOKENS)]
