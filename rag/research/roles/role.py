"""What a role is: a name, what it is good for, and the whole system prompt it starts from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from state.passages import Passage

Compose = Callable[[str, Sequence[Passage]], str]
"""(instruction, passages) to Markdown with a marker `[n]` after each sentence, n a passage's
number; empty when the passages hold nothing for the role. The local engine's way."""


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
    compose: Compose | None = None
    kept: Callable[[str], str] = str
