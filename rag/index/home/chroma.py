"""The chromadb package, kept from its surroundings, and what its failures are called here.

At import chromadb reads `./.env` and the environment into settings and fails on what it
cannot parse there; neither is ours to obey. Nothing is sent anywhere, no model is fetched.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from state.errors import CragError, SetupError, StorageError

# Field names of chromadb's settings are environment variables, without any prefix.
_FOREIGN = frozenset(
    """ENVIRONMENT TENANT_ID TOPIC_NAMESPACE IS_PERSISTENT PERSIST_DIRECTORY ALLOW_RESET
    ANONYMIZED_TELEMETRY MIGRATIONS MIGRATIONS_HASH_ALGORITHM""".split()  # noqa: SIM905
)
_EXPORTER = "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"
_NO_ROOM = re.compile(r"disk is full|No space left|readonly database|Read-only file system")
_NO_FILES = re.compile(r"Too many open files|unable to open database file|Cannot allocate memory")


class VectorsDamaged(Exception):  # noqa: N818 - a state of the folder, not a failure shown to anyone
    """The vectors are missing, stale or unreadable; the catalog still has them all."""


def check_clock() -> None:
    """LangGraph's ids and Chroma end in a Rust panic where it is not 1970 yet.

    Raises:
        SetupError: it is not.
    """
    if time.time() < 0:
        year = datetime.now(UTC).year
        raise SetupError(f"This machine's clock says {year}, before any run can be.", "Set it.")


@cache
def chromadb_module() -> ModuleType:
    """The chromadb package.

    Raises:
        SetupError: it is not installed as it should be, or the clock would end it.
    """
    check_clock()
    _spare_exporter()
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


def _spare_exporter() -> None:
    """At import Chroma names what would send spans of its own over gRPC; it never does here, and an
    install may go without both.
    """
    if _EXPORTER not in sys.modules and find_spec("grpc") is None:
        sys.modules[_EXPORTER] = ModuleType(_EXPORTER)
        sys.modules[_EXPORTER].OTLPSpanExporter = None  # type: ignore[attr-defined]


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


@contextlib.contextmanager
def foreign_errors() -> Iterator[None]:
    """Whatever Chroma raises, as damage: its errors have no common class."""
    try:
        yield
    except (CragError, VectorsDamaged):
        raise
    except KeyError as error:
        raise VectorsDamaged(str(error)) from error
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        if isinstance(error, MemoryError) or _NO_FILES.search(words):
            raise StorageError(
                "The vector store cannot be opened: too little memory, or too few open files.",
                "Raise `ulimit -n` and `ulimit -v`, then run the command again.",
            ) from error
        if _NO_ROOM.search(words):
            raise StorageError(
                "The disk is full or read-only; the vector store cannot be written.",
                "Free some space, then run the command again: what was read is kept.",
            ) from error
        raise VectorsDamaged(words) from error
    except BaseException as error:
        # A panic of the Rust core derives from BaseException.
        if type(error).__name__ == "PanicException":
            raise VectorsDamaged(str(error)) from error
        raise
