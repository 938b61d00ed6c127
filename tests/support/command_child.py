"""A command of `crag` in a process of its own, forked from a server that has everything imported:
a kill meets its work and not its start, and a test of what commands do waits for no start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_AS, setrlimit

from forked import forked


def run(
    arguments: list[str],
    streams: Sequence[Connection],
    folder: str,
    umask: int,
    environment: dict[str, str],
    memory: tuple[int, int] = (RLIM_INFINITY, RLIM_INFINITY),
) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    setrlimit(RLIMIT_AS, memory)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as a process has it
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.umask(umask)
    os.environ.clear()
    os.environ |= environment
    sys.argv = ["crag", *arguments]
    from cli.main import main

    main()


def start(arguments: list[str], *, typed: Path, shown: Path, **variables: object) -> BaseProcess:
    """The command, with `typed` as standard input; what it prints is appended to `shown`.
    `variables` are those of its environment, without CRAG_ before them.
    """
    shown.touch()
    named = {f"CRAG_{name.upper()}": str(value) for name, value in variables.items()}
    written = os.O_WRONLY | os.O_APPEND
    files = [(typed, os.O_RDONLY), (shown, written), (os.devnull, written)]
    streams = [Connection(os.open(*file)) for file in files]
    given = (arguments, streams, str(Path.cwd()), 0o022, {**os.environ, **named})
    process = forked().Process(target=run, args=given)
    process.start()
    return process
