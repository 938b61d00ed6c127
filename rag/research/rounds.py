"""The rounds of a research run: cleanup → plan → dispatch → reflect, until it asks, or ends and
writes.

What a plan or a reflection made of the state is kept: a boundary that a person can see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

from rag.budget import add_calls
from rag.nodes.update import Update, run_with_events
from rag.research.dispatch import dispatch as run_plan
from rag.research.planning import new_subtask, new_subtasks
from rag.research.researcher import (
    Reflected,
    ResearchDependencies,
    Researcher,
    RunView,
    open_parts,
    render_findings,
)
from rag.research.roles import MAX_ROUNDS, WRITER
from rag.research.virtual_files import expired, new_file_entry
from rag.text.prose import one_line
from state.research_state import ResearchState
from state.wording import many

LONGEST_QUESTION = 500
ASKED_AT_THE_CAP = "How should the research go on: what should be searched instead?"

Step = Callable[[ResearchState, ResearchDependencies], Update]


def run_rounds(state: ResearchState, deps: ResearchDependencies) -> ResearchState:
    """The state as the run ends, its answer written, or as it asks the person. At most MAX_ROUNDS
    rounds are begun: `decided` ends the last one.

    Raises:
        CragError: the engine or a store failed, or a budget ended the run.
    """
    while state["decision"] not in ("end", "escalate"):
        for step in (cleanup, plan, dispatch, reflect):
            state = _after(step, state, deps)
    return _after(write, state, deps) if state["decision"] == "end" else state


def _after(step: Step, state: ResearchState, deps: ResearchDependencies) -> ResearchState:
    """The state after the step, whose start, model calls and end are told as events."""
    name = step.__name__
    update, calls, _ = run_with_events(name, partial(step, state, deps), deps.emit, deps.started)
    usage = add_calls(state["usage"], name, calls)
    state = cast("ResearchState", {**state, **update, "usage": usage})
    if step in (plan, reflect):
        deps.journal.change(deps.run_id, state=state)
    return state


def cleanup(state: ResearchState, _deps: ResearchDependencies) -> Update:
    """Evict old files before every planning round."""
    gone = expired(state["files"], _finished(state))
    return {"files": {name: file for name, file in state["files"].items() if name not in gone}}


def plan(state: ResearchState, deps: ResearchDependencies) -> Update:
    """Plan a round; a plan that an interrupted run had begun is followed, not made anew."""
    new, number = [task for task in state["plan"] if task["status"] == "planned"], state["plans"]
    update: Update = {}
    if not new:
        number += 1
        new, warnings = new_subtasks(deps.view(state), deps.researcher)
        update = {"plan": [*state["plan"], *new], "leads": [], "plans": number}
        update["warnings"] = [*state["warnings"], *warnings]
    deps.emit({"event": "planned", "round": number, "subtasks": new})
    return update


def dispatch(state: ResearchState, deps: ResearchDependencies) -> Update:
    artifacts = {each["expected_artifact"]: each for each in run_plan(state["plan"], deps)}
    files = {
        name: new_file_entry(name, render_findings(artifact["findings"]), step, artifact["status"])
        for step, (name, artifact) in enumerate(artifacts.items(), _finished(state) + 1)
    }
    plan = [
        {**task, "status": artifacts.get(task["expected_artifact"], task)["status"]}
        for task in state["plan"]
    ]
    return {"plan": plan, "files": {**state["files"], **files}}


def reflect(state: ResearchState, deps: ResearchDependencies) -> Update:
    view = deps.view(state)
    reflected = decided(view, deps.researcher)
    closed, question = [*state["closed"], *reflected.closed], reflected.question or None
    deps.emit(
        {
            "event": "reflected",
            "round": state["plans"],
            "decision": reflected.decision,
            "reason": reflected.reason,
            "question": question,
            "open": list(open_parts(view.artifacts, {**state, "closed": closed})),
        }
    )
    return {
        "rounds": state["rounds"] + 1,
        "decision": reflected.decision,
        "leads": list(reflected.leads),
        "closed": closed,
        "escalation": question,
        "warnings": [*state["warnings"], *reflected.warnings],
    }


def decided(view: RunView, researcher: Researcher) -> Reflected:
    """The researcher's decision within the rules that none may break: an end needs an artifact that
    is done, a plan that is worked off is continued by another, and the last round, or one that
    leaves nothing of the run's calls and tokens, ends or asks.
    """
    reflected = researcher.reflect(view)
    done = any(artifact["status"] == "done" for artifact in view.artifacts)
    last = view.state["rounds"] + 1 >= MAX_ROUNDS
    decision, reason, question = reflected.decision, reflected.reason, ""
    if decision == "continue" and not last:
        decision = "replan" if set(view.open) - set(reflected.closed) else "end"
    if decision == "end" and not done:
        decision, reason = "replan", "an end was refused: no artifact is done yet"
    if decision in ("continue", "replan") and last:
        decision, reason = "escalate", f"{many(MAX_ROUNDS, 'round')} spent"
    elif decision == "replan" and not view.left.subtasks:
        decision, reason = "end" if done else "escalate", "a run's calls and tokens are spent"
    if decision == "escalate":
        question = one_line(reflected.question)[:LONGEST_QUESTION] or ASKED_AT_THE_CAP
    return replace(reflected, decision=decision, reason=reason, question=question)


def write(state: ResearchState, deps: ResearchDependencies) -> Update:
    """Run the writer's subtask, if the researcher can write."""
    if deps.researcher.writes:
        files = [each["expected_artifact"] for each in state["plan"]]
        task = new_subtask(WRITER, state["question"], read_files=files)
        run_plan([*state["plan"], task], deps)
    return {}


def _finished(state: ResearchState) -> int:
    """How many subtasks are finished: the steps of the run."""
    return sum(task["status"] != "planned" for task in state["plan"])
