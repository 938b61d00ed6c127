"""The research graph: a round is cleanup → plan → dispatch → reflect; a run that ends writes.

Each round is one invocation, and its state is kept when it ends: a boundary that a person can see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, cast

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from rag.budget import add_calls, call_log
from rag.nodes.update import Update, run_with_events
from rag.research.dispatch import dispatch as run_plan
from rag.research.planning import new_subtask, new_subtasks
from rag.research.researcher import Reflected, ResearchDependencies, RunView, open_parts
from rag.research.roles import MAX_ROUNDS, WRITER
from rag.research.virtual_files import evict, new_file_entry
from rag.text.prose import one_line
from state.answer import NO_USAGE, add_usages
from state.research_state import ResearchState
from state.wording import many

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


EDGES = [
    ("cleanup", "plan"),
    ("plan", "dispatch"),
    ("dispatch", "reflect"),
    ("reflect", END),
    ("write", END),
]
STEPS_PER_ROUND = 12
LONGEST_QUESTION = 500
ASKED_AT_THE_CAP = "How should the research go on: what should be searched instead?"


def cleanup(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
    """Evict old files before every planning round."""
    gone = evict(state["files"], state["step"])
    if gone:
        runtime.context.emit({"event": "cleaned_up", "evicted": list(gone)})
    return {"files": gone}


def plan(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
    """Plan a round; a plan that an interrupted run had begun is followed, not made anew."""
    deps, number = runtime.context, state["plans"]
    new = [task for task in state["plan"] if task["status"] == "planned"]
    update: Update = {}
    if not new:
        new, number = new_subtasks(state, deps), number + 1
        usage = add_usages([state["usage"], add_calls(NO_USAGE, "plan", call_log())])
        update = {"plan": [*state["plan"], *new], "leads": [], "plans": number, "usage": usage}
        deps.journal.change(deps.run_id, state={**state, **update})
    deps.emit({"event": "planned", "round": number, "subtasks": new})
    return update


def dispatch(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
    artifacts = run_plan(state["plan"], runtime.context)
    status = {artifact["expected_artifact"]: artifact["status"] for artifact in artifacts}
    files = {}
    for step, artifact in enumerate(artifacts, state["step"] + 1):
        name, done = artifact["expected_artifact"], artifact["status"] == "done"
        files[name] = new_file_entry(name, artifact["content"], step, "done" if done else "active")
    return {
        "plan": [
            {**task, "status": status.get(task["expected_artifact"], task["status"])}
            for task in state["plan"]
        ],
        "files": files,
        "step": state["step"] + len(artifacts),
    }


def reflect(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
    deps = runtime.context
    view = deps.view(state)
    reflected = decided(view, deps)
    closed = [*state["closed"], *reflected.closed]
    usage = add_usages([state["usage"], add_calls(NO_USAGE, "reflect", call_log())])
    deps.emit(
        {
            "event": "reflected",
            "round": state["plans"],
            "decision": reflected.decision,
            "reason": reflected.reason,
            "question": reflected.question or None,
            "open": open_parts(view.artifacts, closed),
        }
    )
    return {
        "rounds": state["rounds"] + 1,
        "decision": reflected.decision,
        "reason": reflected.reason,
        "leads": list(reflected.leads),
        "closed": closed,
        "escalation": reflected.question or None,
        "usage": usage,
    }


def decided(view: RunView, deps: ResearchDependencies) -> Reflected:
    """The researcher's decision within the rules that none may break: an end needs an artifact that
    is done, a plan that is worked off cannot be continued, and the last round ends or asks.
    """
    reflected = deps.researcher.reflect(view)
    deps.warn(reflected.warnings)
    done = any(artifact["status"] == "done" for artifact in view.artifacts)
    decision, reason, question = reflected.decision, reflected.reason, ""
    if decision == "continue" and not (reflected.leads or view.last):
        decision = "end" if done else "escalate"
    if decision == "end" and not done:
        decision, reason = "replan", "an end was refused: no artifact is done yet"
    if decision in ("continue", "replan") and view.last:
        decision, reason = "escalate", f"{many(MAX_ROUNDS, 'round')} spent"
    if decision == "escalate":
        question = one_line(reflected.question)[:LONGEST_QUESTION] or ASKED_AT_THE_CAP
    return replace(reflected, decision=decision, reason=reason, question=question)


def write(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
    """Run the writer's subtask, if the researcher can write."""
    deps = runtime.context
    if not deps.researcher.writes:
        return {}
    files = [each["expected_artifact"] for each in state["plan"]]
    task = new_subtask(WRITER, state["question"], read_files=files)
    run_plan([*state["plan"], task], deps)
    return {"step": state["step"] + 1}


def first_node(state: ResearchState) -> Literal["cleanup", "write"]:
    return "write" if state["decision"] == "end" else "cleanup"


def _timed(node: Callable[..., Update]) -> Callable[..., Update]:
    """`node`, with events for its start, its model calls and its end."""

    def run(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
        deps = runtime.context
        work = partial(node, state, runtime=runtime)
        return run_with_events(node.__name__, work, deps.emit, deps.started)[0]

    return run


@cache
def research_graph() -> CompiledStateGraph[
    ResearchState, ResearchDependencies, ResearchState, ResearchState
]:
    graph = StateGraph(ResearchState, context_schema=ResearchDependencies)
    for node in (cleanup, plan, dispatch, reflect, write):
        graph.add_node(node.__name__, _timed(node))
    graph.add_conditional_edges(START, first_node)
    for source, target in EDGES:
        graph.add_edge(source, target)
    return graph.compile(name="research")


def run_round(state: ResearchState, deps: ResearchDependencies) -> ResearchState:
    """The state at the next boundary: after a round's reflection, or once the answer is written.

    Raises:
        CragError: the engine or a store failed.
    """
    ended = research_graph().invoke(state, {"recursion_limit": STEPS_PER_ROUND}, context=deps)
    return cast("ResearchState", ended)
