"""The files of a folder with their size and times: one pass, no file is opened.

Written for thousands of files a run: plain strings and tuples, one `scandir` a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.index.protocol import FileStat
from rag.ingest.ignore import IGNORE_FILES, JUNK_FOLDERS, IgnoreRules, is_junk


class FileProblem(NamedTuple):
    """A file that gave no document: its path, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class Listing:
    """What a walk saw. Of what begins with the paths of what is `unlisted` (folders, ending in a
    slash, and what could not be looked at) nothing is known.
    """

    files: dict[str, FileStat] = field(default_factory=dict)  # by absolute path
    skipped: list[FileProblem] = field(default_factory=list)  # what a person would expect read
    unlisted: list[FileProblem] = field(default_factory=list)


def walk(found: Listing, root: str, rules: IgnoreRules, closed: Iterable[str] = ()) -> None:
    """Adds every wanted file under `root`, a real path ending in a slash, to what was found.
    `closed` are real paths of folders not to enter. A symbolic link is not followed: what lies in
    the root is read there.
    """
    shut = frozenset(closed)
    waiting = [(root, rules)]
    while waiting:
        folder, inherited = waiting.pop()
        if folder.rstrip("/") in shut:
            continue
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            reason = f"the folder cannot be listed: {error.strerror or error}"
            found.unlisted.append(FileProblem(folder, reason))
            continue
        own = [entry.name for entry in entries if entry.name in IGNORE_FILES]
        here = inherited.entering(folder, own) if own else inherited
        folders = [entry for entry in entries if _is_folder(entry, here, found)]
        waiting += [(entry.path + "/", here) for entry in folders]


def _is_folder(entry: os.DirEntry[str], here: IgnoreRules, found: Listing) -> bool:
    """Whether the entry is a folder to enter; adds a file to what was found."""
    name, path = entry.name, entry.path
    if is_junk(name):
        return False
    try:
        if entry.is_file(follow_symlinks=False):
            if not here.ignores_file(path):
                found.files[path] = FileStat.of(entry.stat(follow_symlinks=False))
        elif entry.is_symlink():
            if not here.ignores_file(path):
                found.skipped.append(FileProblem(path, "a symbolic link: it is not followed"))
        elif entry.is_dir():
            return name not in JUNK_FOLDERS and not here.ignores_folder(path)
        else:
            found.skipped.append(FileProblem(path, "not a regular file"))
    except FileNotFoundError:  # gone between the listing and the look
        pass
    except OSError as error:
        found.unlisted.append(FileProblem(path, f"cannot be looked at: {error.strerror}"))
    return False
