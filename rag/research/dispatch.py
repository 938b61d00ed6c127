"""The plan's open subtasks run, those that do not wait for each other side by side.

Each artifact is journalled the moment its subagent returns, so a run that is killed repeats
none of them; a subtask whose artifact is in the journal is not run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from rag.research.dependencies import ResearchDependencies, Tell
from rag.research.subagents import run_subtask
from state.research_state import EVERYTHING, Artifact, Subtask


def dispatch(
    plan: Sequence[Subtask], run_id: str, deps: ResearchDependencies, tell: Tell
) -> list[Artifact]:
    """The artifacts of the plan's subtasks, in the order they were finished.

    Raises:
        CragError: a subagent failed; what others had finished is in the journal.

    """
    done = {artifact["subtask"]: artifact for artifact in deps.journal.artifacts(run_id)}
    waiting = [task for task in plan if task["id"] not in done]
    running: dict[Future[Artifact], Subtask] = {}
    with ThreadPoolExecutor(max_workers=deps.at_once, thread_name_prefix="subagent") as pool:
        try:
            while waiting or running:
                for task in _ready(waiting, done.values(), plan):
                    waiting.remove(task)
                    tell({"event": "subtask_started", "subtask": task})
                    read = _files_of(task, done.values())
                    running[pool.submit(run_subtask, task, read, deps)] = task
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    task = running.pop(future)
                    artifact = future.result()
                    deps.journal.keep(run_id, artifact)
                    done[task["id"]] = artifact
                    tell(_finished(artifact))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _keep_finished(running, run_id, deps)
            raise
    wanted = {task["id"] for task in plan}
    return [artifact for identity, artifact in done.items() if identity in wanted]


def _files_of(task: Subtask, done: Iterable[Artifact]) -> list[Artifact]:
    if EVERYTHING in task["read_files"]:
        return [artifact for artifact in done if artifact["role"] != task["role"]]
    return [artifact for artifact in done if artifact["name"] in task["read_files"]]


def _ready(
    waiting: Sequence[Subtask], done: Iterable[Artifact], plan: Sequence[Subtask]
) -> list[Subtask]:
    """Those that wait for no file that another subtask of the plan has yet to write."""
    written = {artifact["name"] for artifact in done}
    to_come = {task["expected_artifact"] for task in plan} - written
    last = {task["expected_artifact"] for task in plan if EVERYTHING in task["read_files"]}
    return [
        task
        for task in waiting
        if not to_come & set(task["read_files"])
        and not (EVERYTHING in task["read_files"] and to_come - last)
    ]


def _keep_finished(
    running: dict[Future[Artifact], Subtask], run_id: str, deps: ResearchDependencies
) -> None:
    """What returned while another subagent failed was paid for: keep it."""
    for future in running:
        if future.done() and not future.cancelled() and future.exception() is None:
            deps.journal.keep(run_id, future.result())


def _finished(artifact: Artifact) -> dict[str, object]:
    return {
        "event": "subtask_finished",
        "subtask": artifact["subtask"],
        "artifact": artifact["name"],
        "status": artifact["status"],
        "bytes": len(artifact["content"].encode("utf-8", "replace")),
        "citations": len(artifact["citations"]),
    }
