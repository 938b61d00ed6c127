"""A command of `crag` in a process of its own, forked from a server that has everything imported:
a kill meets its work and not its start, and a test of what commands do waits for no start.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from ctypes import CDLL
from multiprocessing.connection import Connection
from pathlib import Path
from resource import RLIMIT_AS, RLIMIT_NOFILE, setrlimit
from types import MappingProxyType

LIMITS = (RLIMIT_AS, RLIMIT_NOFILE)
"""What a process limits, beside what the server has."""


def run(
    arguments: list[str],
    streams: Sequence[Connection],
    folder: str,
    umask: int,
    environment: dict[str, str],
    limits: Mapping[int, tuple[int, int]] = MappingProxyType({}),
    closed: Sequence[int] = (),
    asking: int | None = None,
) -> None:
    """`asking`: the process whose namespaces it runs in."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    if asking is not None:
        _enter(asking)
    for which, limit in limits.items():
        setrlimit(which, limit)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as a process has it
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for number in closed:
        os.close(number)
        setattr(sys, ("stdin", "stdout", "stderr")[number], None)
    os.chdir(folder)
    os.umask(umask)
    os.environ.clear()
    os.environ |= environment
    sys.argv = ["crag", *arguments]
    from cli.main import main

    main()


def _enter(process: int) -> None:
    for kind in ("user", "mnt"):
        own, theirs = (Path("/proc", each, "ns", kind) for each in ("self", str(process)))
        if theirs.exists() and not theirs.samefile(own):
            with theirs.open() as namespace:
                assert CDLL(None).setns(namespace.fileno(), 0) == 0, kind
