"""A researcher that is scripted, for what needs no model and no search."""

import math

from rag.research.researcher import DraftSubtask, ReadFiles, Reflected
from rag.research.run_view import RunView
from state.answer import Citation
from state.graph_state import fresh
from state.research_state import Found, Subtask

ARTIFACT_BYTES = 20_000


class ScriptedResearcher:
    """Plans `width` new searches a round, finds 20 kB in each, and never thinks it is enough, or
    ends with the round that brought `enough` artifacts.
    """

    writes = False
    one_by_one = False

    def __init__(self, width: int = 1, enough: float = math.inf) -> None:
        self.width = width
        self.enough = enough

    def plan(self, view: RunView) -> tuple[list[DraftSubtask], list[str]]:
        numbers = range(len(view.state["plan"]), len(view.state["plan"]) + self.width)
        asked = (f"What came of step {number}?" for number in numbers)
        return [DraftSubtask(role="searcher", instruction=each) for each in asked], []

    def work(self, task: Subtask, read: ReadFiles) -> Found:  # noqa: ARG002
        question = task["instruction"]
        citation: Citation = {
            "marker": 1,
            "source": "mill.md",
            "title": "The mill",
            "page": None,
            "start_line": 3,
            "end_line": 3,
            "start_char": int("".join(filter(str.isdigit, question))),
            "end_char": 1_000 + int("".join(filter(str.isdigit, question))),
            "chunk_id": "c",
            "quote": "The paper mill burned down in 1911 and was never rebuilt.",
            "passage": "The paper mill burned down in 1911 and was never rebuilt.",
            "support": "verbatim",
        }
        text = f"{question} {'It burned down. ' * (ARTIFACT_BYTES // 16)}"
        findings = [{"text": text, "markers": [1]}]
        return fresh(Found, findings=findings, citations=[citation], searched=[question])

    def reflect(self, view: RunView) -> Reflected:
        if len(view.artifacts) >= self.enough:
            return Reflected("end", "it is enough")
        return Reflected("replan", f"{len(view.artifacts)} artifacts are not enough")
