"""The virtual file system of a run: collision-free names, spill over 100 KB, eviction.

It bounds the state that is checkpointed: what is evicted here stays in the run's journal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from state.errors import StorageError
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


def write(folder: Path, name: str, content: str, step: int, status: FileStatus) -> FileEntry:
    """An entry holding `content`, or pointing into `folder` where it is over 100 KB.

    Raises:
        StorageError: the disk took no file.
    """
    size = len(content.encode("utf-8", "replace"))
    large = size > INLINE_BYTES
    return {
        "content": None if large else content,
        "pointer": _spill(folder, name, content) if large else None,
        "bytes": size,
        "written_at_step": step,
        "status": status,
    }


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


def shrink(folder: Path, files: Mapping[str, FileEntry]) -> dict[str, FileEntry]:
    """The update that spills the oldest contents until what is inline fits INLINE_TOTAL."""
    inline = sum(entry["bytes"] for entry in files.values() if entry["content"] is not None)
    update: dict[str, FileEntry] = {}
    for name, entry in sorted(files.items(), key=lambda item: item[1]["written_at_step"]):
        if inline <= INLINE_TOTAL:
            break
        if entry["content"] is not None:
            pointer = _spill(folder, name, entry["content"])
            update[name] = {**entry, "content": None, "pointer": pointer}
            inline -= entry["bytes"]
    return update


def _spill(folder: Path, name: str, content: str) -> str:
    path = folder / Path(name).name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = path.with_suffix(".part")
        temporary.write_text(content, encoding="utf-8", errors="replace")
        temporary.replace(path)
    except OSError as error:
        raise StorageError(f"A file of the research run cannot be kept: {error}.") from None
    return str(path)
