"""Processes of our own interpreter that are told what to do, and answer, over one pipe.

A message is a value that can be pickled: both ends are the same program.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1


def child_command(module: str, *arguments: str) -> list[str]:
    """The command that runs `main(*arguments)` of a module of ours in a process that ends with this
    one. `-P` keeps the user's current directory off its path.
    """
    package = str(Path(__file__).resolve().parents[1])
    code = (
        "import sys; sys.path.append(sys.argv[1]);"
        # Before the module, whose import takes a while in which the parent may be killed.
        "from rag.child_process import end_with; end_with(int(sys.argv[2]));"
        f"from {module} import main; main(*sys.argv[3:])"
    )
    return [sys.executable, "-P", "-c", code, package, str(os.getpid()), *arguments]


class Child:
    """A process that runs `main` of a module of ours, and our end of the pipe between. The
    module's `main` gets the descriptor of the other end first, for `Parent`; what a library prints
    or reads there meets the null device.
    """

    def __init__(self, module: str) -> None:
        """Raises OSError where no process can be started."""
        self.pipe, theirs = Pipe()
        with theirs:
            descriptor = theirs.fileno()
            self.process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                child_command(module, str(descriptor)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[descriptor],
            )

    def end(self, patience: float = 0.0) -> int:
        """Waits up to `patience` seconds, then kills the process; returns its exit status."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.process.kill()
        self.pipe.close()
        return self.process.wait()


def end_with(parent: int) -> None:
    """Called by a child: it is killed when its parent ends, whatever it is doing."""
    if sys.platform == "linux":  # elsewhere it ends when it next looks at its pipe
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


class Parent:
    """A child's end of the pipe: iterates over what the parent sends. Ctrl-C is for the parent."""

    def __init__(self, descriptor: str) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._pipe = Connection(int(descriptor))

    def __iter__(self) -> Iterator[Any]:
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                yield self._pipe.recv()

    def answer(self, value: object) -> None:
        """Sends a value; ends this process where the parent reads no more."""
        try:
            self._pipe.send(value)
        except ConnectionError:
            os._exit(0)
