"""A command of `crag` in a process of its own, forked from a server that has everything imported:
a kill meets its work and not its start, and a test of what commands do waits for no start.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory

from forked import forked

from cli.command_table import COMMANDS, UNLISTED
from cli.main import main

for _name in (
    *(f"cli.commands.{name}" for name in COMMANDS | UNLISTED),
    *(
        "cli.program",
        "rag.doctor.checkup",
        "rag.index.postgres.store",
        "rag.index.transfer",
        "rag.session",
    ),
    *("state.checkpoints_sqlite", "state.private_home", "platformdirs", "tokenizers"),
):
    import_module(_name)


def run(
    arguments: list[str],
    streams: tuple[str, str, str],
    folder: str,
    umask: int,
    environment: dict[str, str],
) -> None:
    read, append = os.O_RDONLY, os.O_WRONLY | os.O_APPEND
    for number, (path, mode) in enumerate(zip(streams, (read, append, append), strict=True)):
        os.dup2(os.open(path, mode), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as a process has it
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.umask(umask)
    os.environ.clear()
    os.environ |= environment
    sys.argv = ["crag", *arguments]
    main()


def start(arguments: list[str], *, typed: Path, shown: Path, **variables: object) -> BaseProcess:
    """The command, with `typed` as standard input; what it prints is appended to `shown`.
    `variables` are those of its environment, without CRAG_ before them.
    """
    shown.touch()
    streams = (str(typed), str(shown), os.devnull)
    named = {f"CRAG_{name.upper()}": str(value) for name, value in variables.items()}
    process = forked().Process(
        target=run, args=(arguments, streams, str(Path.cwd()), 0o022, {**os.environ, **named})
    )
    process.start()
    return process


def finished(
    *arguments: str, folder: Path, typed: str = "", umask: int = 0o022, **variables: str
) -> CompletedProcess[str]:
    """The command as it ended, run in `folder` with `typed` as standard input and these more
    variables in its environment.
    """
    with TemporaryDirectory() as name:
        streams = [Path(name, stream) for stream in ("in", "out", "err")]
        for stream in streams:
            stream.write_text(typed if stream.name == "in" else "", encoding="utf-8")
        process = forked().Process(
            target=run,
            args=(
                list(arguments),
                tuple(map(str, streams)),
                str(folder),
                umask,
                {**os.environ, **variables},
            ),
        )
        process.start()
        process.join(120)
        if process.exitcode is None:
            process.kill()
            raise TimeoutExpired(list(arguments), 120)
        _, out, err = (stream.read_text(encoding="utf-8") for stream in streams)
    return CompletedProcess(list(arguments), process.exitcode, out, err)
