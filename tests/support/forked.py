"""Processes forked from a server that has imported what they run, so that they start at once."""

import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from unittest.mock import patch

from isolation import heed_interrupts, leave_home

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


# Where a server is reached, under the names that the standard library keeps it by.
_REACHED = ("_forkserver_address", "_forkserver_authkey")


def shared_server(home: Path) -> dict[str, object]:
    """Start one for the processes of other tests, too, which lives as long as this process; how
    they reach it. Importing the program takes longer than many a test.
    """
    with patch.dict(os.environ):
        leave_home(home)
        heed_interrupts()
        forked()
    held = vars(forkserver._forkserver)
    return {name: held[name] for name in _REACHED if name in held}


def reach(server: dict[str, object]) -> None:
    """Fork from that one: it is neither this process's child nor kept alive by it."""
    alive = os.open(os.devnull, os.O_RDONLY)
    known = {"_forkserver_alive_fd": alive, "ensure_running": resource_tracker.ensure_running}
    vars(forkserver._forkserver).update(server, **known)
    forkserver.ensure_running = resource_tracker.ensure_running


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
