"""The versions that matter in a bug report, read without importing anything."""

from __future__ import annotations

import platform
import sqlite3
import subprocess
from contextlib import suppress
from pathlib import Path

from state.extras import package_version

COMMIT = Path(__file__).with_name("commit.txt")
"""Written when a wheel is built from a checkout; `setup.py` makes it."""

SHOWN = ("langgraph", "chromadb", "langchain-openai", "wordllama", "typer")


def commit() -> str | None:
    """What was built or, in a checkout, is checked out; `+` where files were changed since."""
    with suppress(OSError):
        return COMMIT.read_text(encoding="ascii").strip()
    return described(COMMIT.parents[1])


def described(tree: Path) -> str | None:
    """The commit of a checkout, as git tells it; None where `tree` is none, or there is no git."""
    if not (tree / ".git").exists():
        return None
    with suppress(OSError, subprocess.SubprocessError):
        words = ["git", "-C", str(tree), "describe", "--always", "--abbrev=12", "--dirty=+"]
        done = subprocess.run(  # noqa: S603 - git of the person's own PATH
            [*words, "--exclude=*"], capture_output=True, text=True, check=True, timeout=5
        )
        return done.stdout.strip() or None
    return None


def version_text() -> str:
    parts = [f"{name} {package_version(name)}" for name in SHOWN]
    commit_ = f"commit {found}, " if (found := commit()) else ""
    return (
        f"crag {package_version('crag-cli')} ({commit_}Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {', '.join(parts)})"
    )
