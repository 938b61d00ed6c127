"""Which files of a folder are not wanted: .gitignore, .cragignore, --include and --exclude.

Patterns are those of git. An ignore file counts for its folder and below, a deeper one before
a higher one, .cragignore before .gitignore. pathspec is imported for the first pattern.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from state.errors import UsageError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".cragignore")
JUNK_FOLDERS = frozenset({"__pycache__", "node_modules"})

_MOST_BYTES = 1 << 20


def is_junk(name: str) -> bool:
    """Hidden files, and what editors and office programs leave beside a file in use."""
    return name[0] == "." or name[-1] == "~" or name.startswith("~$")


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """What is ignored under a root; `levels` are (folder ending in a slash, patterns), the
    root's first. `include` and `exclude` are relative to the root.
    """

    root: str
    include: GitIgnoreSpec | None = None
    exclude: GitIgnoreSpec | None = None
    levels: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def ignores_folder(self, path: str) -> bool:
        return self._ignored(path + "/")

    def ignores_file(self, path: str) -> bool:
        if self.include is not None and not self.include.match_file(path[len(self.root) :]):
            return True
        return self._ignored(path)

    def _ignored(self, path: str) -> bool:
        if self.exclude is not None and self.exclude.match_file(path[len(self.root) :]):
            return True
        for folder, patterns in reversed(self.levels):
            verdict = patterns.check_file(path[len(folder) :]).include
            if verdict is not None:
                return verdict
        return False

    def entering(self, folder: str, names: Iterable[str]) -> IgnoreRules:
        """The rules inside `folder` (ending in a slash), whose ignore files are `names`."""
        lines: list[str] = []
        for name in sorted(names, key=IGNORE_FILES.index):
            lines.extend(_lines(folder + name))
        patterns = _patterns(lines, named=None)
        if patterns is None:
            return self
        return replace(self, levels=(*self.levels, (folder, patterns)))


def rules_for(root: str, include: Sequence[str], exclude: Sequence[str]) -> IgnoreRules:
    """The rules at a root (ending in a slash): the options, and the .gitignore files of the
    repository above it, where it lies in one.

    Raises:
        UsageError: a glob is malformed.
    """
    above = IgnoreRules(root)
    for folder in _folders_of_repository(root):
        if os.path.isfile(folder + ".gitignore"):
            above = above.entering(folder, [".gitignore"])
    # A folder that was named is read, even where its repository ignores it.
    levels = () if above.ignores_folder(root[:-1]) else above.levels
    named = _patterns(include, named="--include"), _patterns(exclude, named="--exclude")
    return IgnoreRules(root, *named, levels)


def _folders_of_repository(root: str) -> list[str]:
    """The folders above `root` up to the one that holds .git, outermost first."""
    around = [Path(root), *Path(root).parents]
    # Path's own `exists` raises where a folder may not be looked into.
    held = (os.path.exists(folder / ".git") for folder in around)
    top = next((at for at, holds in enumerate(held) if holds), 0)
    return [os.path.join(folder, "") for folder in reversed(around[1 : top + 1])]


def _lines(path: str) -> list[str]:
    """An ignore file's lines; one that cannot be read ignores nothing, as in git."""
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8-sig", "surrogateescape").splitlines()
    except OSError:
        return []


def _patterns(lines: Sequence[str], *, named: str | None) -> GitIgnoreSpec | None:
    """The patterns of these lines. A malformed line is skipped, as in git, or is an error where the
    lines are those of the option `named`.

    Raises:
        UsageError: a glob of an option is malformed.
    """
    if not lines:
        return None
    from pathspec import GitIgnoreSpec

    good = []
    for line in lines:
        if named is not None and not line.strip():
            raise UsageError(f"{named}: it is empty.", "--include '*' reads everything.")
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            if named is not None:
                raise UsageError(f"{named}: {error}.") from None
        else:
            good.append(line)
    return GitIgnoreSpec.from_lines(good)
