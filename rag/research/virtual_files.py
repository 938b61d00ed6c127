"""The virtual file system of a run: names that do not collide, spill above 32 KB, eviction.

It bounds the state that is checkpointed. Every file is an artifact that was journalled when its
subagent returned, so what is spilled or evicted here is still in the journal on disk.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from state.home_db import HOME_FILE
from state.research_state import FileEntry, SubtaskStatus

INLINE_BYTES = 32 * 1024
"""The largest content in the state: twelve files, the most there are between two evictions, take
less than 400 KB.
"""
DONE_STEPS = 3
ANY_STEPS = 20


def artifact_name(role: str, instruction: str, given: Iterable[str] = ()) -> str:
    """`role_slug_hash.md`, the same for the same work on what is `given`, in whatever order, case
    and spacing.
    """
    told = (role, instruction.casefold(), *sorted(map(str.casefold, given)))
    hashed = hashlib.blake2b("\0".join(told).encode("utf-8", "replace"), digest_size=6).hexdigest()
    slug = re.sub(r"[^a-z0-9]+", "-", instruction.casefold()).strip("-")[:40] or "untitled"
    return f"{role}_{slug}_{hashed}.md"


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


def without_old(files: Mapping[str, FileEntry], step: int) -> dict[str, FileEntry]:
    """The files without those that are `done` and older than 3 steps, and any older than 20."""
    oldest = {"done": step - DONE_STEPS}
    return {
        name: entry
        for name, entry in files.items()
        if entry["written_at_step"] >= oldest.get(entry["status"], step - ANY_STEPS)
    }
