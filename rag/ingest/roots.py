"""The folders and files that an ingest was given, each under its one real path, and their globs,
which are recorded.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from state.errors import UsageError

EVERYTHING = ("*",)
"""To include this is to include as if no glob were given; it takes recorded globs back."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder (`path` has no trailing slash) or a single file; `typed` is what was given."""

    path: str
    typed: str
    is_file: bool

    @property
    def inside(self) -> str:
        """What the path of everything under the root begins with."""
        return self.path if self.path.endswith("/") else self.path + "/"

    def holds(self, path: str) -> bool:
        return path == self.path if self.is_file else path.startswith(self.inside)

    def shown(self, path: str) -> str:
        """`path` as it can be opened from where the person is."""
        return self.typed if self.is_file else os.path.join(self.typed, path[len(self.inside) :])

    def source_names(self, path: str) -> Iterable[str]:
        """What citations may call a file, best first: its path inside the root, with the
        root's name where another root has the same, the whole path.
        """
        inside = os.path.basename(path) if self.is_file else path[len(self.inside) :]
        name = os.path.basename(os.path.dirname(self.path) if self.is_file else self.path)
        for candidate in (inside, f"{name}/{inside}", path):
            yield os.fsencode(candidate).decode("utf-8", "backslashreplace")


def roots_of(paths: Sequence[str]) -> list[Root]:
    """The distinct roots, in order; a folder spelt in two ways is one.

    Raises:
        UsageError: a path does not exist or is neither file nor folder.
    """
    roots: dict[str, Root] = {}
    for typed in paths:
        try:
            path = os.path.realpath(typed, strict=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"{typed}: {reason}.",
                "Give a folder or file; an empty one in its place takes out what was read from it.",
            ) from None
        is_file = os.path.isfile(path)
        if not is_file and not os.path.isdir(path):
            raise UsageError(f"{typed} is neither a folder nor a regular file.")
        roots.setdefault(path, Root(path, typed, is_file))
    return list(roots.values())


def root_of(roots: Sequence[Root], path: str) -> Root | None:
    """The innermost of `roots` that holds `path`."""
    holding = [root for root in roots if root.holds(path)]
    return max(holding, key=lambda root: len(root.path), default=None)


@dataclass(frozen=True, slots=True)
class Globs:
    """What --include and --exclude say, relative to the folder, as in .gitignore."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def recorded(cls, options: str) -> Globs:
        values = json.loads(options)
        return cls(tuple(values["include"]), tuple(values["exclude"]))

    def to_record(self, *, finished: bool) -> str:
        """What is recorded of a folder whose ingest begins, or has `finished`."""
        include = () if self.include == EVERYTHING else self.include
        return json.dumps({"include": include, "exclude": self.exclude, "finished": finished})

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude)

    def __str__(self) -> str:
        """As they are given on the command line."""
        words = [("--include", glob) for glob in self.include]
        words += [("--exclude", glob) for glob in self.exclude]
        return shlex.join(word for pair in words for word in pair)


def is_finished(recorded: str) -> bool:
    return bool(json.loads(recorded).get("finished", True))


AS_BEFORE = Globs()
"""No globs: those that are recorded for a folder hold."""
