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
from resource import prlimit
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory

from forked import forked


def run(
    arguments: list[str],
    streams: Sequence[Connection],
    folder: str,
    umask: int,
    environment: dict[str, str],
) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
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


def opened(typed: Path, *written: Path) -> list[Connection]:
    """What is written is appended to the files; as something that a process can be given."""
    files = [os.open(typed, os.O_RDONLY)]
    files += [os.open(path, os.O_WRONLY | os.O_APPEND) for path in written]
    return [Connection(file) for file in files]


def start(arguments: list[str], *, typed: Path, shown: Path, **variables: object) -> BaseProcess:
    """The command, with `typed` as standard input; what it prints is appended to `shown`.
    `variables` are those of its environment, without CRAG_ before them.
    """
    shown.touch()
    named = {f"CRAG_{name.upper()}": str(value) for name, value in variables.items()}
    process = forked().Process(
        target=run,
        args=(
            arguments,
            opened(typed, shown, Path(os.devnull)),
            str(Path.cwd()),
            0o022,
            {**os.environ, **named},
        ),
    )
    process.start()
    return process


def finished(
    *arguments: str,
    folder: Path,
    typed: str = "",
    umask: int = 0o022,
    limit: tuple[int, int] | None = None,
    **variables: str,
) -> CompletedProcess[str]:
    """The command as it ended, run in `folder` with `typed` as standard input, these more
    variables in its environment and an rlimit.
    """
    with TemporaryDirectory() as name:
        streams = [Path(name, stream) for stream in ("in", "out", "err")]
        for stream in streams:
            stream.write_text(typed if stream.name == "in" else "", encoding="utf-8")
        process = forked().Process(
            target=run,
            args=(
                list(arguments),
                opened(*streams),
                str(folder),
                umask,
                {**os.environ, **variables},
            ),
        )
        process.start()
        if limit is not None:
            prlimit(process.pid or 0, limit[0], (limit[1],) * 2)
        process.join(120)
        if process.exitcode is None:
            process.kill()
            raise TimeoutExpired(list(arguments), 120)
        _, out, err = (stream.read_text(encoding="utf-8") for stream in streams)
    return CompletedProcess(list(arguments), process.exitcode, out, err)
