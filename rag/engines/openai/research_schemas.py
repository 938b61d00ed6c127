"""The Pydantic models of a research run's structured replies."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class PlannedSubtask(BaseModel):
    """One subtask of the plan."""

    role: str
    instruction: str
    expected_artifact: str
    read_files: list[str] = Field(default_factory=list)


class Plan(BaseModel):
    """The ordered subtasks of this round."""

    subtasks: list[PlannedSubtask]


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
