"""The Pydantic models of a research run's structured replies."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model


class PlannedSubtask(BaseModel):
    """One subtask of the plan."""

    role: str
    instruction: str
    expected_artifact: str
    read_files: list[str] = Field(default_factory=list)


class Plan(BaseModel):
    """The ordered subtasks of this round."""

    subtasks: list[PlannedSubtask]


@cache
def plan_schema(roles: tuple[str, ...]) -> type[Plan]:
    """A plan for a pool: the model is shown which roles there are. A reply that names another
    is still read, and that subtask left out, rather than the whole plan refused.
    """
    role = Field(description="the role that does it", json_schema_extra={"enum": list(roles)})
    subtask: Any = create_model("Subtask", __base__=PlannedSubtask, role=(str, role))
    return create_model("Plan", __base__=Plan, __doc__=Plan.__doc__, subtasks=(list[subtask], ...))


class SubagentReply(BaseModel):
    """What a subagent returns."""

    artifact_name: str = ""
    content: str
    status: Literal["done", "empty"]


class Reflection(BaseModel):
    """What happens next, and why."""

    decision: Literal["continue", "replan", "end", "escalate"]
    reason: str
    leads: list[str] = Field(default_factory=list)
    question: str = ""
