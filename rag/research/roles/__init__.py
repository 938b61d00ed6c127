"""The pool of subagents: one role a file, each with its own prompt."""

from __future__ import annotations

from rag.research.roles import comparer, searcher, skeptic, timeline, writer
from rag.research.roles.role import Role

ROLES: dict[str, Role] = {
    role.name: role
    for role in (searcher.ROLE, comparer.ROLE, timeline.ROLE, skeptic.ROLE, writer.ROLE)
}

MIN_ROLES, MAX_ROLES = 3, 8

__all__ = ["MAX_ROLES", "MIN_ROLES", "ROLES", "Role"]
