"""The files of a folder with their size and times: one pass, no file is opened.

Written for thousands of files a run: plain strings and tuples, one `scandir` a folder.
"""

from __future__ import annotations

import os
import stat as modes
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
class Listed:
    """What a walk saw.

    Attributes:
        files: absolute path to its stat.
        skipped: what a person would expect to be read but is not, and why.
        unlisted: folders (ending in a slash) that could not be listed, and what could not be
            looked at: nothing is known of what begins with their paths.
    """

    files: dict[str, FileStat] = field(default_factory=dict)
    skipped: list[FileProblem] = field(default_factory=list)
    unlisted: list[FileProblem] = field(default_factory=list)


def walk(root: str, rules: IgnoreRules, closed: Iterable[str] = ()) -> Listed:
    """Every wanted file under `root`, a real path ending in a slash.

    A symbolic link is followed to what lies inside the root and is not found without it;
    one that leads out is skipped. `closed` are real paths of folders not to enter.
    """
    found = Listed()
    shut = frozenset(closed)
    links: list[str] = []
    seen = _enter(root, rules, found, links, shut)
    for link in sorted(links):
        _follow(link, root, rules, found, seen, shut)
    return found


def _enter(  # noqa: C901 - the hot loop, in one piece
    start: str, rules: IgnoreRules, found: Listed, links: list[str], shut: frozenset[str]
) -> set[str]:
    """Walk from `start`; returns the folders entered."""
    seen: set[str] = set()
    files = found.files
    make = FileStat._make
    waiting = [(start, rules)]
    while waiting:
        folder, inherited = waiting.pop()
        if folder.rstrip("/") in shut:
            continue
        seen.add(folder)
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            reason = f"the folder cannot be listed: {error.strerror or error}"
            found.unlisted.append(FileProblem(folder, reason))
            continue
        own = [entry.name for entry in entries if entry.name in IGNORE_FILES]
        here = inherited.entering(folder, own) if own else inherited
        matching = not here.is_empty
        for entry in entries:
            name = entry.name
            if (name[0] in ".~" or name[-1] == "~") and is_junk(name):  # no call a file
                continue
            path = entry.path
            try:
                if entry.is_file(follow_symlinks=False):
                    if not (matching and here.ignores_file(path)):
                        status = entry.stat(follow_symlinks=False)
                        times = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                        files[path] = make(times)
                elif entry.is_symlink():
                    links.append(path)
                elif not entry.is_dir():
                    found.skipped.append(FileProblem(path, "not a regular file"))
                elif name not in JUNK_FOLDERS and not (matching and here.ignores_folder(path)):
                    waiting.append((path + "/", here))
            except FileNotFoundError:  # gone between the listing and the look
                continue
            except OSError as error:
                found.unlisted.append(FileProblem(path, f"cannot be looked at: {error.strerror}"))
    return seen


def _follow(
    link: str,
    root: str,
    rules: IgnoreRules,
    found: Listed,
    seen: set[str],
    shut: frozenset[str],
) -> None:
    if rules.ignores_file(link) and rules.ignores_folder(link):
        return
    try:
        target = os.path.realpath(link, strict=True)
        status = os.stat(target)
    except FileNotFoundError as error:
        found.skipped.append(FileProblem(link, f"a symbolic link to nowhere: {error.strerror}"))
        return
    except OSError as error:
        reason = f"a symbolic link that cannot be followed: {error.strerror}"
        found.skipped.append(FileProblem(link, reason))
        return
    is_folder = modes.S_ISDIR(status.st_mode)
    inside = (target + "/" if is_folder else target).startswith(root)
    if not inside:
        found.skipped.append(FileProblem(link, "a symbolic link that leads out of the folder"))
    elif is_folder and target + "/" not in seen and target not in shut:
        links: list[str] = []
        seen |= _enter(target + "/", rules, found, links, shut)
        for inner in sorted(links):
            _follow(inner, root, rules, found, seen, shut)
    elif modes.S_ISREG(status.st_mode):
        found.files.setdefault(target, FileStat.of(status))
