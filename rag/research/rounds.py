"""The rounds of a research run: cleanup → plan → dispatch → reflect, until it asks, or ends and
writes.

What a plan or a reflection made of the state is kept: a boundary that a person can see. An artifact
is journalled the moment its subagent returns, and no subtask that has one there is run again: a run
that is killed repeats no finished work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import replace
from functools import partial
from typing import cast

from rag.budget import add_calls, call_event, record_calls
from rag.nodes.update import Update, run_with_events
from rag.research.planning import new_subtask, new_subtasks
from rag.research.researcher import (
    WRITER,
    ReadFiles,
    Reflected,
    ResearchDependencies,
    Researcher,
    read_files_of,
    render_findings,
)
from rag.research.run_view import RunView
from rag.text.prose import one_line
from state.answer import NO_USAGE
from state.background import submit
from state.events import ModelCalled
from state.home_db import HOME_FILE
from state.research_state import Artifact, FileEntry, ResearchState, Subtask, SubtaskStatus
from state.wording import many

MAX_ROUNDS = 5
LONGEST_QUESTION = 500
MOST_LEADS = 6  # each is searched for the next plan
INLINE_BYTES = 32 * 1024
"""The largest content in the state: twelve files, the most there are between two evictions, take
less than 400 KB.
"""
DONE_STEPS = 3
ANY_STEPS = 20
ASKED_AT_THE_CAP = "How should the research go on: what should be searched instead?"

Step = Callable[[ResearchState, ResearchDependencies], Update]
Outcome = tuple[Artifact, list[ModelCalled], float]
"""What came of a subtask, with its model calls and its milliseconds."""


def run_rounds(state: ResearchState, deps: ResearchDependencies) -> ResearchState:
    """The state as the run ends, its answer written, or as it asks the person. At most MAX_ROUNDS
    rounds are begun: `decided` ends the last one.

    Raises:
        CragError: a subagent failed, or a budget ended the run.
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
    """Evict old files before every planning round: those that are `done` and older than 3 steps,
    and any older than 20. Each finished subtask is a step.
    """
    step = sum(task["status"] != "planned" for task in state["plan"])
    oldest = {"done": step - DONE_STEPS}
    kept = {
        name: entry
        for name, entry in state["files"].items()
        if entry["written_at_step"] >= oldest.get(entry["status"], step - ANY_STEPS)
    }
    return {"files": kept}


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
    """Run the planned subtasks; what comes of each is a file."""
    done = _run_subtasks(state["plan"], deps)
    tasks, files = list[Subtask](), {**state["files"]}
    for step, task in enumerate(state["plan"], 1):
        artifact = done[name := task["expected_artifact"]]
        if task["status"] == "planned":
            text, status = render_findings(artifact["findings"]), artifact["status"]
            files[name] = new_file_entry(name, text, step, status)
        tasks.append({**task, "status": artifact["status"]})
    return {"plan": tasks, "files": files}


def new_file_entry(name: str, content: str, step: int, status: SubtaskStatus) -> FileEntry:
    """An entry that holds `content`, or points to the journal if that is large."""
    size = len(content.encode("utf-8", "replace"))
    inline = size <= INLINE_BYTES
    return {
        "content": content if inline else None,
        "pointer": None if inline else f"{HOME_FILE}#{name}",
        "bytes": size,
        "written_at_step": step,
        "status": status,
    }


def _run_subtasks(plan: Sequence[Subtask], deps: ResearchDependencies) -> dict[str, Artifact]:
    """The artifacts of the plan's subtasks by name: those in the journal, and the others'.

    Each is done by one subagent, whose messages are built from nothing but its role, its
    instruction and its files. Those that wait for no other's file run side by side on daemon
    threads, so that an interrupt waits for none of them. If one fails, the others' artifacts are
    kept and no more subtasks are started.
    """
    kept = deps.journal.artifacts(deps.run_id, plan)
    done = {artifact["expected_artifact"]: artifact for artifact in kept}
    waiting = [task for task in plan if task["expected_artifact"] not in done]
    while waiting:
        ready = [task for task in waiting if done.keys() >= set(_files_for(task, plan))]
        ready = ready[:1] if deps.researcher.one_by_one else ready
        waiting = [task for task in waiting if task not in ready]
        begun: list[Future[Outcome]] = []
        for task in ready:
            deps.emit({"event": "subtask_started", "subtask": task, "at_ms": deps.at_ms()})
            read = read_files_of([done[each] for each in _files_for(task, plan)])
            begun.append(submit(partial(_work, task, read, deps)))
        for future in as_completed(begun):
            if future.exception() is not None:
                continue
            artifact, calls, ms = future.result()
            done[name := artifact["expected_artifact"]] = artifact
            for call in calls:
                deps.emit(call_event(call, name, deps.started))
            deps.journal.keep(deps.run_id, artifact)
            findings = render_findings(artifact["findings"])
            deps.emit(
                {
                    "event": "subtask_finished",
                    "artifact": name,
                    "status": artifact["status"],
                    "bytes": len(findings.encode("utf-8", "replace")),
                    "citations": len(artifact["citations"]),
                    "missing": artifact["missing"],
                    "ms": round(ms, 3),
                }
            )
        for future in begun:
            future.result()  # raises what the subagent raised
    return done


def _work(task: Subtask, read: ReadFiles, deps: ResearchDependencies) -> Outcome:
    began = deps.at_ms()
    with record_calls() as calls:
        found = deps.researcher.work(task, read)
    usage = add_calls(NO_USAGE, task["role"], calls)
    status: SubtaskStatus = "done" if found["findings"] else "empty"
    return {**task, **found, "status": status, "usage": usage}, calls, deps.at_ms() - began


def _files_for(task: Subtask, plan: Sequence[Subtask]) -> list[str]:
    """The files of other subtasks that `task` is given: those it names and, so that it looks for
    nothing that is known, those of its section from earlier rounds.
    """
    return [
        name
        for other in plan
        if (name := other["expected_artifact"]) in task["read_files"]
        or (other["heading"] == task["heading"] and other["status"] == "done")
    ]


def reflect(state: ResearchState, deps: ResearchDependencies) -> Update:
    view = deps.view(state)
    reflected = decided(view, deps.researcher)
    question = reflected.question or None
    deps.emit(
        {
            "event": "reflected",
            "round": state["plans"],
            "decision": reflected.decision,
            "reason": reflected.reason,
            "question": question,
            "open": [part for part in view.open if part not in reflected.closed],
        }
    )
    return {
        "rounds": state["rounds"] + 1,
        "decision": reflected.decision,
        "leads": list(reflected.leads[:MOST_LEADS]),
        "closed": [*state["closed"], *reflected.closed],
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
    elif decision == "replan" and not view.most_subtasks:
        decision, reason = "end" if done else "escalate", "a run's calls and tokens are spent"
    if decision == "escalate":
        question = one_line(reflected.question)[:LONGEST_QUESTION] or ASKED_AT_THE_CAP
    return replace(reflected, decision=decision, reason=reason, question=question)


def write(state: ResearchState, deps: ResearchDependencies) -> Update:
    """Run the writer's subtask, if the researcher can write."""
    if deps.researcher.writes:
        files = [each["expected_artifact"] for each in state["plan"]]
        task = new_subtask(WRITER, state["question"], read_files=files)
        _run_subtasks([*state["plan"], task], deps)
    return {}
