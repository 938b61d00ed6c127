"""What a role is: a name, what it is good for, and the whole system prompt it starts from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Role:
    """`searches` roles gather evidence by the corrective graph; the others read artifacts.

    `system` is everything a model is told of its task: no line of a planner's prompt is
    added to it. What it wrote, checked, passes through `kept`: Markdown to Markdown.
    """

    name: str
    purpose: str
    system: str
    searches: bool = False
    kept: Callable[[str], str] = str
