"""The research graph: cleanup → plan → dispatch → reflect, until it escalates, or ends and writes.

Each pass from the start to `reflect` is one invocation, checkpointed once when it ends: a boundary
that a person can see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from rag.budget import add_calls, call_log
from rag.nodes.update import Update, run_with_events
from rag.research.dispatch import dispatch as run_plan
from rag.research.planning import new_subtask, new_subtasks
from rag.research.researcher import Reflected, ResearchDependencies, RunView, open_parts
from rag.research.roles import MAX_ROUNDS, WRITER
from rag.research.virtual_files import artifact_name, evict, new_file_entry
from rag.text.prose import one_line
from state.answer import NO_USAGE, add_usages
from state.research_state import ResearchState
from state.wording import many

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from state.checkpoints import Checkpoints


EDGES = [
    (START, "cleanup"),
    ("cleanup", "plan"),
    ("plan", "dispatch"),
    ("dispatch", "reflect"),
    ("write", END),
]
STEPS_PER_PASS = 12
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
    deps = runtime.context
    number = state["plans"] + 1
    made = deps.journal.plan(deps.run_id, number)
    if made is None:
        made = new_subtasks(state, deps), add_calls(NO_USAGE, "plan", call_log())
        deps.journal.keep_plan(deps.run_id, number, made)
    new, spent = made
    deps.emit({"event": "planned", "round": number, "subtasks": new})
    return {
        "plan": [*state["plan"], *new],
        "leads": [],
        "plans": number,
        "usage": add_usages([state["usage"], spent]),
    }


def dispatch(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
    artifacts = run_plan(state["plan"], runtime.context)
    status = {artifact["id"]: artifact["status"] for artifact in artifacts}
    files = {}
    for step, artifact in enumerate(artifacts, state["step"] + 1):
        name, done = artifact["expected_artifact"], artifact["status"] == "done"
        files[name] = new_file_entry(name, artifact["content"], step, "done" if done else "active")
    return {
        "plan": [
            {**task, "status": status.get(task["id"], task["status"])} for task in state["plan"]
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
    step = state["step"] + 1
    name = artifact_name(WRITER, step, state["question"], state["files"])
    task = new_subtask(WRITER, state["question"], name)
    task["read_files"] = [each["expected_artifact"] for each in state["plan"]]
    run_plan([*state["plan"], task], deps)
    return {"step": step}


def after_reflection(state: ResearchState) -> Literal["cleanup", "write", "__end__"]:
    if state["decision"] == "end":
        return "write"
    return "__end__" if state["decision"] == "escalate" else "cleanup"


def _timed(node: Callable[..., Update]) -> Callable[..., Update]:
    """`node`, with events for its start, its model calls and its end."""

    def run(state: ResearchState, *, runtime: Runtime[ResearchDependencies]) -> Update:
        deps = runtime.context
        work = partial(node, state, runtime=runtime)
        return run_with_events(node.__name__, work, deps.emit, deps.started)[0]

    return run


def compile_research(
    checkpointer: BaseCheckpointSaver[Any],
) -> CompiledStateGraph[ResearchState, ResearchDependencies, ResearchState, ResearchState]:
    """The compiled graph, which stops after each reflection."""
    graph = StateGraph(ResearchState, context_schema=ResearchDependencies)
    for node in (cleanup, plan, dispatch, reflect, write):
        graph.add_node(node.__name__, _timed(node))
    for source, target in EDGES:
        graph.add_edge(source, target)
    graph.add_conditional_edges("reflect", after_reflection)
    return graph.compile(checkpointer, interrupt_after=["reflect"], name="research")


def checkpoint_name(run_id: str) -> str:
    return f"research:{run_id}"


def to_boundary(
    checkpoints: Checkpoints, state: ResearchState, deps: ResearchDependencies, answer: str | None
) -> ResearchState:
    """Run to the next boundary and return the state there; `answer` is the person's, if the run
    asked.

    Raises:
        CragError: the engine or a store failed; the last boundary is kept.
    """
    name = checkpoint_name(deps.run_id)
    thread = {"thread_id": name}
    config: RunnableConfig = {"recursion_limit": STEPS_PER_PASS, "configurable": thread}
    with checkpoints.turn(name) as saver:
        graph = compile_research(saver)
        kept = graph.get_state(config)
        entry: Any = state
        if kept.values:
            entry, state = None, cast("ResearchState", kept.values)
            if not kept.next:
                if answer is None or state["decision"] != "escalate":
                    return state
                guidance = [*state["guidance"], answer]
                entry = {"guidance": guidance, "leads": [answer], "escalation": None, "rounds": 0}
        ended: Any = graph.invoke(entry, config, context=deps, durability="exit", version="v2")
    return cast("ResearchState", ended.value)
