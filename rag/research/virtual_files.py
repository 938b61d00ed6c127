"""The virtual file system of a run: collision-free names, spill over 100 KB, eviction.

It bounds the state that is checkpointed. Every file is an artifact that was written to the run's
journal when its subagent returned: what is spilled or evicted here is on the disk there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping

from state.home_db import HOME_FILE
from state.research_state import FileEntry, FileStatus, FileSummary

INLINE_BYTES = 100 * 1024
DONE_STEPS = 3
ANY_STEPS = 20
INLINE_TOTAL = 200 * 1024
"""Contents held in the state at once, in bytes: the rest is spilled, oldest first."""


def artifact_name(role: str, step: int, title: str, taken: Collection[str]) -> str:
    """`role_step_slug.md`, with a hash of the title where that is taken."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:40] or "untitled"
    name = f"{role}_{step:03d}_{slug}.md"
    if name in taken:
        digest = hashlib.blake2b(title.encode("utf-8", "replace"), digest_size=4).hexdigest()
        name = f"{role}_{step:03d}_{slug}-{digest}.md"
    return name


def written(name: str, content: str, step: int, status: FileStatus) -> FileEntry:
    """An entry holding `content`, or pointing to the journal where it is over 100 KB."""
    entry: FileEntry = {
        "content": content,
        "pointer": None,
        "bytes": len(content.encode("utf-8", "replace")),
        "written_at_step": step,
        "status": status,
    }
    return entry if entry["bytes"] <= INLINE_BYTES else _spilled(name, entry)


def summaries(files: Mapping[str, FileEntry]) -> list[FileSummary]:
    return [
        {"name": name, "status": entry["status"], "bytes": entry["bytes"]}
        for name, entry in files.items()
    ]


def evict(files: Mapping[str, FileEntry], step: int) -> dict[str, None]:
    """The update that removes `done` files older than 3 steps and any older than 20."""
    return {
        name: None
        for name, entry in files.items()
        if (age := step - entry["written_at_step"]) > ANY_STEPS
        or (entry["status"] == "done" and age > DONE_STEPS)
    }


def shrink(files: Mapping[str, FileEntry]) -> dict[str, FileEntry]:
    """The update that spills the oldest contents until what is inline fits INLINE_TOTAL."""
    inline = sum(entry["bytes"] for entry in files.values() if entry["content"] is not None)
    update: dict[str, FileEntry] = {}
    for name, entry in sorted(files.items(), key=lambda item: item[1]["written_at_step"]):
        if inline <= INLINE_TOTAL:
            break
        if entry["content"] is not None:
            update[name] = _spilled(name, entry)
            inline -= entry["bytes"]
    return update


def _spilled(name: str, entry: FileEntry) -> FileEntry:
    return {**entry, "content": None, "pointer": f"{HOME_FILE}#{name}"}
