"""Processes of our own interpreter that are told what to do, and answer, over their pipes.

A message is a marshalled tuple of plain values: both ends are the same interpreter.
"""

from __future__ import annotations

import contextlib
import ctypes
import marshal
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any, BinaryIO

_LENGTH = 8
_PR_SET_PDEATHSIG = 1


def child_command(module: str, *arguments: str) -> list[str]:
    """How to run `main(*arguments)` of a module of ours; it ends with this process. `-P` keeps
    the user's current directory off the child's path.
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
    """A process that runs `main` of a module of ours, and our ends of its pipes."""

    def __init__(self, module: str, *arguments: str) -> None:
        """Raises OSError where no process can be started."""
        self.process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            child_command(module, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    def send(self, value: object) -> None:
        """Raises BrokenPipeError where it has died."""
        assert self.process.stdin is not None
        write_frame(self.process.stdin, value)

    def receive(self, seconds: float) -> Any:
        """The next value.

        Raises:
            TimeoutError: none came for so long.
            EOFError: it has died.
        """
        answers = self.process.stdout
        assert answers is not None
        waiting = select.poll()  # takes any descriptor, unlike `select`
        waiting.register(answers, select.POLLIN)
        if not waiting.poll(seconds * 1000):
            raise TimeoutError
        value = read_frame(answers)
        if value is None:
            raise EOFError
        return value

    def end(self, patience: float = 0.0) -> int:
        """Its exit status: its own, if it ends within `patience` seconds, or that it was killed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        return self.process.wait()


def end_with(parent: int) -> None:
    """For a child: to be killed when its parent ends, whatever it is doing."""
    if sys.platform == "linux":  # elsewhere it ends when it next looks at its pipe
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def serve_parent() -> tuple[BinaryIO, BinaryIO]:
    """For a child: leave Ctrl-C to its parent; our ends of the pipes. What a library prints or
    reads meets the null device.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    return asked, answers


def write_frame(file: IO[bytes], value: Any) -> None:
    data = marshal.dumps(value)
    rest = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
    while rest:  # an unbuffered pipe may take less than it is given
        rest = rest[file.write(rest) :]


def read_frame(file: IO[bytes]) -> Any:
    """The next value, or None where the stream ends or breaks off."""
    head = _exactly(file, _LENGTH)
    if len(head) < _LENGTH:
        return None
    length = int.from_bytes(head, "big")
    data = _exactly(file, length)
    return marshal.loads(data) if len(data) == length else None  # noqa: S302 - our own bytes


def _exactly(file: IO[bytes], length: int) -> bytes:
    data = file.read(length)
    if len(data) in (0, length):
        return data
    pieces = [data]
    left = length - len(data)
    while left and (data := file.read(left)):
        pieces.append(data)
        left -= len(data)
    return b"".join(pieces)


def answer(file: IO[bytes], value: object) -> None:
    """Send to the parent; ends this process when nobody wants the rest."""
    try:
        write_frame(file, value)
        file.flush()
    except BrokenPipeError:
        os._exit(0)
