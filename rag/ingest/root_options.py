"""What is recorded of an ingested folder: its globs, and what read its files."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from rag.documents.recognizer import can_recognize
from rag.ingest.file_text import READING
from state.extras import package_version

EVERYTHING = ("*",)
"""To include this is to include as if nothing were said; it takes recorded globs back."""


@dataclass(frozen=True, slots=True)
class Globs:
    """Relative to the folder, as in .gitignore."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def recorded(cls, options: str) -> Globs:
        values = json.loads(options)
        return cls(tuple(values.get("include", ())), tuple(values.get("exclude", ())))

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude)

    def __str__(self) -> str:
        """As they are given on the command line."""
        words = [("--include", glob) for glob in self.include]
        words += [("--exclude", glob) for glob in self.exclude]
        return shlex.join(word for pair in words for word in pair)


AS_BEFORE = Globs()
"""To give none is to keep those that are recorded."""


def root_options(globs: Globs) -> str:
    """What to record of a folder that is ingested now."""
    values = {
        "include": () if globs.include == EVERYTHING else globs.include,
        "exclude": globs.exclude,
        "reading": READING,
        "recognizing": can_recognize(),
        "release": package_version("crag-cli", "source"),
    }
    return json.dumps(values)


def is_current(options: str, *, release: bool = False) -> bool:
    """Whether what was recorded of a folder says that its files were read as they are now."""
    values = json.loads(options)
    same = values.get("reading") == READING
    same &= values.get("recognizing", False) == can_recognize()
    return same and (not release or values.get("release") == package_version("crag-cli", "source"))
