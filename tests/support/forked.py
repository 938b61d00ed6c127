"""Processes forked from a server that has imported what they run, so that they start at once."""

import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from typing import Any
from unittest.mock import patch

_IMPORTED = [
    *("imported_program", "command_child", "index_victim", "ingest_child", "research_child"),
    "turn_child",
]


@cache
def forked() -> ForkServerContext:
    """The server, one for all that this process's tests fork. It starts with the environment's
    path and not with this process's, and would say nothing of an import that fails.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED)
    with patch.dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)):
        forkserver.ensure_running()
    return context


def _as_here(environment: dict[str, str], work: Callable[..., None], *given: object) -> None:
    os.environ.clear()
    os.environ |= environment
    work(*given)


def started(work: Callable, *given: object, daemon=False) -> tuple[BaseProcess, Connection]:
    """A process that does `work` in the environment of this one, whose last argument is a
    connection; returned with the other end once something was sent that says it begins.
    """
    here, there = forked().Pipe()
    given = (dict(os.environ), work, *given, there)
    process = forked().Process(target=_as_here, args=given, daemon=daemon)
    process.start()
    there.close()
    here.recv()
    return process, here


def last_told(process: BaseProcess, told: Connection, before: Any) -> Any:
    """Kill it; what it told last, or what it had told before."""
    process.kill()
    process.join()
    with suppress(EOFError):
        while True:
            before = told.recv()
    return before
