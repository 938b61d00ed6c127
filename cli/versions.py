"""The versions that matter in a bug report, read without importing anything."""

from __future__ import annotations

import platform
import sqlite3

from state.extras import package_version

SHOWN = ("langgraph", "chromadb", "langchain-openai", "wordllama", "typer")


def version_text() -> str:
    parts = [f"{name} {package_version(name)}" for name in SHOWN]
    return (
        f"crag {package_version('crag-cli')} (Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {', '.join(parts)})"
    )
