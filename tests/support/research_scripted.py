"""A researcher and a corrective graph that are scripted, for what needs no model and no search."""

from __future__ import annotations

from collections.abc import Sequence

from rag.research.researcher import (
    Composed,
    Planned,
    ReadFile,
    Reflected,
    View,
)
from rag.research.roles import Role
from state.answer import ANSWER_SCHEMA, Answer, Citation
from state.passages import Passage
from state.usage import NO_USAGE

ARTIFACT_BYTES = 20_000


class ScriptedResearcher:
    """Plans `width` new searches a round, and never thinks that it is enough."""

    def __init__(self, width: int = 1) -> None:
        self.width = width

    def plan(self, view: View) -> Planned:
        first = len(view.plan)
        return Planned(
            tuple(
                {
                    "role": "searcher",
                    "instruction": f"What came of step {number}?",
                    "expected_artifact": f"step {number}",
                    "read_files": [],
                }
                for number in range(first, first + self.width)
            )
        )

    def compose(
        self,
        role: Role,  # noqa: ARG002
        instruction: str,
        files: Sequence[ReadFile],  # noqa: ARG002
        passages: Sequence[Passage],  # noqa: ARG002
    ) -> Composed:
        return Composed(instruction)

    def reflect(self, view: View) -> Reflected:
        return Reflected("replan", f"{len(view.artifacts)} artifacts are not enough")


def long_answer(question: str) -> Answer:
    """20 kB of Markdown that rests on a quote of its own."""
    citation: Citation = {
        "marker": 1,
        "source": "mill.md",
        "title": "The mill",
        "page": None,
        "start_line": 3,
        "end_line": 3,
        "start_char": int("".join(filter(str.isdigit, question))),
        "end_char": 1_000,
        "chunk_id": "c",
        "quote": "The paper mill burned down in 1911 and was never rebuilt.",
        "passage": "The paper mill burned down in 1911 and was never rebuilt.",
        "support": "verbatim",
    }
    return {
        "schema": ANSWER_SCHEMA,
        "status": "answered",
        "question": question,
        "standalone_question": question,
        "answer": f"{question} {'It burned down. ' * (ARTIFACT_BYTES // 16)}[1]",
        "citations": [citation],
        "claims": [],
        "dropped": [],
        "nearest": [],
        "clarify": [],
        "loops": [],
        "loop_count": 0,
        "max_loops": 3,
        "generation_retries": 0,
        "engine": {"name": "local", "model": None, "embedder": "e"},
        "usage": NO_USAGE,
        "timings_ms": {"total": 1.0},
        "thread": None,
        "turn": 1,
        "trace_id": "t",
        "warnings": [],
    }
