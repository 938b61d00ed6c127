"""The plan's open subtasks run, those that do not wait for each other side by side.

Each artifact is journalled the moment its subagent returns, so a run that is killed repeats
none of them; a subtask whose artifact is in the journal is not run again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread

from rag.budget import BudgetSpent
from rag.endpoint.calls import Call, recorded
from rag.research.research_dependencies import ResearchDependencies
from rag.research.subagents import run_subtask
from state.research_events import SubtaskFinished
from state.research_state import EVERYTHING, Artifact, Subtask


@dataclass(frozen=True, slots=True)
class _Returned:
    """What became of a subtask, with the model calls made for it and the time it took."""

    task: Subtask
    result: Artifact | BaseException
    calls: Sequence[Call]
    ms: float


def dispatch(plan: Sequence[Subtask], run_id: str, deps: ResearchDependencies) -> list[Artifact]:
    """The artifacts of the plan's open subtasks, in the plan's order.

    When one fails, those that are running may still return and are kept; no other starts.
    Subagents run on daemon threads: whoever interrupts the run waits for none of them.

    Raises:
        CragError: a subagent failed, or a budget ended one.
    """
    done = {a["subtask"]: a for a in deps.journal.artifacts(run_id) if a["status"] != "cut"}
    waiting = [task for task in plan if task["status"] == "planned" and task["id"] not in done]
    running: set[str] = set()
    returned: SimpleQueue[_Returned] = SimpleQueue()
    failure: BaseException | None = None
    while running or (waiting and failure is None):
        if failure is None:
            for task in _ready(waiting, plan, done)[: deps.at_once - len(running)]:
                waiting.remove(task)
                running.add(task["id"])
                deps.emit({"event": "subtask_started", "subtask": task, "at_ms": deps.at_ms()})
                _start(task, _files_of(task, plan, done), deps, returned)
        came = returned.get()
        task, result = came.task, came.result
        for call in came.calls:
            deps.emit(call.event(task["id"], deps.started))
        running.remove(task["id"])
        if isinstance(result, BaseException):
            failure = failure or result
            continue
        deps.journal.keep(run_id, result)
        deps.emit(_finished(result, came.ms))
        for line in result["warnings"]:
            deps.warn(line)
        if result["status"] == "cut":
            failure = failure or BudgetSpent("The budget of the run is spent.", "Raise it.")
        else:
            done[task["id"]] = result
    if failure is not None:
        raise failure
    return [done[task["id"]] for task in plan if task["status"] == "planned"]


def _start(
    task: Subtask,
    read: list[Artifact],
    deps: ResearchDependencies,
    returned: SimpleQueue[_Returned],
) -> None:
    def work() -> None:
        began = deps.at_ms()
        result: Artifact | BaseException
        with recorded() as calls:
            try:
                result = run_subtask(task, read, deps)
            except BaseException as error:  # noqa: BLE001 - raised again by the dispatcher
                result = error
        returned.put(_Returned(task, result, calls, round(deps.at_ms() - began, 3)))

    Thread(target=work, name=f"subagent {task['expected_artifact']}", daemon=True).start()


def _ready(
    waiting: Sequence[Subtask], plan: Sequence[Subtask], done: Collection[str]
) -> list[Subtask]:
    """Those that wait for no earlier subtask; only earlier ones, so that none waits in a ring."""
    return [
        task
        for task in waiting
        if not any(_reads(task, other) for other in _before(task, plan) if other["id"] not in done)
    ]


def _files_of(task: Subtask, plan: Sequence[Subtask], done: dict[str, Artifact]) -> list[Artifact]:
    read = [other["id"] for other in _before(task, plan) if _reads(task, other)]
    return [done[identity] for identity in read if identity in done]


def _before(task: Subtask, plan: Sequence[Subtask]) -> Sequence[Subtask]:
    return plan[: plan.index(task)]


def _reads(task: Subtask, other: Subtask) -> bool:
    """Whether a later task is given the file of `other`: evidence, where it reads everything."""
    if EVERYTHING in task["read_files"]:
        return EVERYTHING not in other["read_files"]
    return other["expected_artifact"] in task["read_files"]


def _finished(artifact: Artifact, ms: float) -> SubtaskFinished:
    return {
        "event": "subtask_finished",
        "subtask": artifact["subtask"],
        "artifact": artifact["name"],
        "status": artifact["status"],
        "bytes": len(artifact["content"].encode("utf-8", "replace")),
        "citations": len(artifact["citations"]),
        "tokens": artifact["usage"]["input_tokens"] + artifact["usage"]["output_tokens"],
        "trace_id": artifact.get("trace_id"),
        "ms": ms,
    }
