"""Processes forked from a server that has imported what they run, so that they start at once."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess

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
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return context


def started(
    work: Callable[..., None], *given: object, daemon: bool = False
) -> tuple[BaseProcess, Connection]:
    """A process that does `work`, whose last argument is a connection; returned with the other end
    once something was sent that says it begins.
    """
    here, there = forked().Pipe()
    process = forked().Process(target=work, args=(*given, there), daemon=daemon)
    process.start()
    there.close()
    here.recv()
    return process, here
