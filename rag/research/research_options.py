"""What a research run may be told besides its settings, and what a resumed one goes by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rag.research.roles import MAX_ROLES, MIN_ROLES, ROLES, Role
from state.errors import UsageError
from state.settings import Settings

MAX_ROUNDS = 5
_KEPT = ("collection", "engine", "model", "k", "max_loops", "grader", "thread")


@dataclass(frozen=True, slots=True)
class ResearchOptions:
    """`roles` are names of the pool; `max_rounds` reflections at most until the person is asked."""

    roles: tuple[str, ...] = tuple(ROLES)
    max_rounds: int = MAX_ROUNDS

    def pool(self) -> dict[str, Role]:
        """The roles that may work.

        Raises:
            UsageError: an unknown role, too few or too many, or none that searches.
        """
        unknown = [name for name in self.roles if name not in ROLES]
        if unknown:
            raise UsageError(f"There is no role {unknown[0]!r}.", f"There are: {', '.join(ROLES)}.")
        pool = {name: ROLES[name] for name in dict.fromkeys(self.roles)}
        if not MIN_ROLES <= len(pool) <= MAX_ROLES:
            raise UsageError(f"A run needs {MIN_ROLES} to {MAX_ROLES} roles, not {len(pool)}.")
        if not any(role.searches for role in pool.values()):
            raise UsageError("A run needs the role searcher, which finds the evidence.")
        return pool


def kept_flags(settings: Settings) -> dict[str, Any]:
    """The settings that a run keeps wherever it is resumed; never a key or a URL."""
    values = settings.model_dump(mode="json", include=set(_KEPT))
    return {name: value for name, value in values.items() if value is not None}
