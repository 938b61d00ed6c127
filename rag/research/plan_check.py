"""A planner's subtasks made safe: known roles, real files, an id for each, an order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from rag.research.researcher import DraftSubtask
from rag.research.roles import Role
from rag.research.virtual_files import artifact_name
from state.research_state import EVERYTHING, FileEntry, Subtask

MOST_SUBTASKS = 8
LONGEST_INSTRUCTION = 1_000


def subtask_id(role: str, instruction: str, read_files: Iterable[str]) -> str:
    """Equal work on equal files has equal ids, whatever its case and spacing."""
    parts = (role, " ".join(instruction.casefold().split()), *sorted(read_files))
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()


def checked_plan(
    drafts: Sequence[DraftSubtask],
    *,
    roles: Mapping[str, Role],
    files: Mapping[str, FileEntry],
    known: Sequence[Subtask],
    step: int,
) -> list[Subtask]:
    """The new subtasks, in order: of known roles, not done before, at most eight.

    A file name that a draft reads is either a file that is there, or what an earlier draft
    is expected to write; others are dropped. Names that drafts chose are replaced by names
    that cannot collide.
    """
    seen = {task["id"] for task in known}
    names: dict[str, str] = {name: name for name in files}
    taken: dict[str, FileEntry] = dict(files)
    plan: list[Subtask] = []
    for number, draft in enumerate(drafts[:MOST_SUBTASKS], 1):
        instruction = draft["instruction"].strip()[:LONGEST_INSTRUCTION]
        if draft["role"] not in roles or not instruction:
            continue
        reads = [names[name] for name in dict.fromkeys(draft["read_files"]) if name in names]
        if EVERYTHING in draft["read_files"]:
            reads = [EVERYTHING]
        identity = subtask_id(draft["role"], instruction, [*reads, *_evidence(reads, known, plan)])
        if identity in seen:
            continue
        seen.add(identity)
        name = artifact_name(draft["role"], step + number, instruction, taken)
        taken[name] = _PLACEHOLDER
        names[draft["expected_artifact"]] = name
        task: Subtask = {
            "id": identity,
            "role": draft["role"],
            "instruction": instruction,
            "expected_artifact": name,
            "read_files": reads,
            "status": "planned",
        }
        if draft.get("names"):
            task["names"] = draft["names"]
        plan.append(task)
    return plan


def _evidence(reads: list[str], known: Sequence[Subtask], plan: Sequence[Subtask]) -> list[str]:
    """What "everything" means here: with more found, reading it all is new work."""
    if EVERYTHING not in reads:
        return []
    return [t["id"] for t in (*known, *plan) if EVERYTHING not in t["read_files"]]


_PLACEHOLDER: FileEntry = {
    "content": None,
    "pointer": None,
    "bytes": 0,
    "written_at_step": 0,
    "status": "active",
}
