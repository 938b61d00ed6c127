"""A command of `crag` in a process of its own, forked from a server that has everything imported,
so that a kill meets its work and not its start.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

from forked import forked

from cli.main import main

for _name in (
    "cli.commands.ask",
    "cli.commands.chat",
    "cli.commands.collections",
    "rag.index.postgres.store",
    "rag.index.transfer",
    "rag.session",
    "state.checkpoints_sqlite",
):
    import_module(_name)


def run(variables: dict[str, str], arguments: list[str], typed: str, shown: str) -> None:
    for number, path, mode in ((0, typed, os.O_RDONLY), (1, shown, os.O_WRONLY | os.O_APPEND)):
        os.dup2(os.open(path, mode), number)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as a process has it
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    os.environ |= variables
    sys.argv = ["crag", *arguments]
    main()


def start(arguments: list[str], *, typed: Path, shown: Path, **variables: object) -> BaseProcess:
    """The command, with `typed` as standard input; what it prints is appended to `shown`.
    `variables` are those of its environment, without CRAG_ before them.
    """
    shown.touch()
    named = {f"CRAG_{name.upper()}": str(value) for name, value in variables.items()}
    process = forked("command_child").Process(
        target=run, args=(named, arguments, str(typed), str(shown)), daemon=True
    )
    process.start()
    return process
