"""Runs the plan's open subtasks, side by side unless they wait for each other. Each is done by one
subagent, whose messages are built from nothing but its role, its instruction and its files.

Each artifact is journalled the moment its subagent returns, so a run that is killed repeats none of
them; a subtask whose artifact is in the journal is not run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, as_completed
from functools import partial

from rag.budget import add_calls, call_event, record_calls
from rag.research.researcher import (
    ReadFiles,
    ResearchDependencies,
    read_files_of,
    render_findings,
)
from rag.research.roles import SEARCHER
from state.answer import NO_USAGE
from state.background import submit
from state.events import ModelCalled
from state.research_state import Artifact, Found, Subtask, SubtaskStatus

AT_ONCE = 6
"""The most subtasks that run side by side."""

Outcome = tuple[Found | BaseException, list[ModelCalled], float]
"""A subtask's result or failure, with its model calls and its milliseconds."""


def dispatch(plan: Sequence[Subtask], deps: ResearchDependencies) -> list[Artifact]:
    """The artifacts of the plan's open subtasks, in the plan's order.

    Subtasks that are ready run side by side on daemon threads, so that an interrupt waits for none
    of them. If one fails, the others' artifacts are kept and no more subtasks are started.

    Raises:
        CragError: a subagent failed, or a budget ended one.
    """
    kept = deps.journal.artifacts(deps.run_id, plan)
    done = {artifact["expected_artifact"]: artifact for artifact in kept}
    planned = [task for task in plan if task["status"] == "planned"]
    waiting = [task for task in planned if task["expected_artifact"] not in done]
    while waiting:
        at_once = 1 if deps.researcher.one_by_one else AT_ONCE
        ready = [task for task in waiting if done.keys() >= set(_files_for(task, plan))][:at_once]
        waiting = [task for task in waiting if task not in ready]
        begun: dict[Future[Outcome], Subtask] = {}
        for task in ready:
            deps.emit({"event": "subtask_started", "subtask": task, "at_ms": deps.at_ms()})
            read = read_files_of([done[each] for each in _files_for(task, plan)])
            begun[submit(partial(_work, task, read, deps))] = task
        failures: list[BaseException] = []
        for future in as_completed(begun):
            task, (found, calls, ms) = begun[future], future.result()
            for call in calls:
                deps.emit(call_event(call, task["expected_artifact"], deps.started))
            usage = add_calls(NO_USAGE, task["role"], calls)
            if isinstance(found, BaseException):
                failures.append(found)
            else:
                status: SubtaskStatus = "done" if found["findings"] else "empty"
                artifact: Artifact = {**task, **found, "status": status, "usage": usage}
                done[artifact["expected_artifact"]] = artifact
                deps.journal.keep(deps.run_id, artifact)
                _emit_finished(artifact, ms, deps)
        if failures:
            raise failures[0]
    return [done[task["expected_artifact"]] for task in planned]


def _work(task: Subtask, read: ReadFiles, deps: ResearchDependencies) -> Outcome:
    began = deps.at_ms()
    found: Found | BaseException
    with record_calls() as calls:
        try:
            found = deps.researcher.work(task, read)
        except BaseException as error:  # noqa: BLE001 - raised again by the dispatcher
            found = error
    return found, calls, round(deps.at_ms() - began, 3)


def _files_for(task: Subtask, plan: Sequence[Subtask]) -> list[str]:
    """The files of other subtasks that `task` is given: those it names and, if it searches, all of
    earlier rounds, so that it looks for nothing that is known.
    """
    earlier = task["role"] == SEARCHER
    return [
        name
        for other in plan
        if (name := other["expected_artifact"]) in task["read_files"]
        or (earlier and other["status"] == "done")
    ]


def _emit_finished(artifact: Artifact, ms: float, deps: ResearchDependencies) -> None:
    deps.emit(
        {
            "event": "subtask_finished",
            "artifact": artifact["expected_artifact"],
            "status": artifact["status"],
            "bytes": len(render_findings(artifact["findings"]).encode("utf-8", "replace")),
            "citations": len(artifact["citations"]),
            "missing": artifact["missing"],
            "ms": ms,
        }
    )
