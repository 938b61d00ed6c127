"""Importing chromadb without letting the surroundings into it.

At import chromadb reads `./.env` and the environment into settings and fails on what it
cannot parse there; neither is ours to obey. Nothing is sent anywhere, no model is fetched.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from rag.clock import check_clock
from state.errors import SetupError

# Field names of chromadb's settings are environment variables, without any prefix.
_FOREIGN = frozenset(
    """ENVIRONMENT TENANT_ID TOPIC_NAMESPACE IS_PERSISTENT PERSIST_DIRECTORY ALLOW_RESET
    ANONYMIZED_TELEMETRY MIGRATIONS MIGRATIONS_HASH_ALGORITHM""".split()  # noqa: SIM905
)


@cache
def chromadb_module() -> ModuleType:
    """The chromadb package.

    Raises:
        SetupError: it is not installed as it should be, or the clock would end it.
    """
    check_clock()
    with _undisturbed():
        try:
            import chromadb
            import chromadb.config
        except ImportError as error:
            raise SetupError(
                f"The chromadb package cannot be used: {error}.", "Install crag again."
            ) from error
    chromadb.config.Settings.model_config["env_file"] = None
    return chromadb


def chroma_settings() -> Any:
    """Settings of chromadb from its own defaults alone, for one client, which changes them."""
    return _default_settings().model_copy()


@cache
def _default_settings() -> Any:
    module = chromadb_module()
    with _undisturbed():
        return module.config.Settings(anonymized_telemetry=False)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    hidden = {
        name: os.environ.pop(name)
        for name in list(os.environ)
        if name.upper().startswith("CHROMA_") or name.upper() in _FOREIGN
    }
    try:
        if Path(".env").exists():
            with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
                yield
        else:
            yield
    finally:
        os.environ.update(hidden)
