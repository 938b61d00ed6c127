"""Commands of `crag`, one after another, in a mount namespace of their own."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

from command_child import opened, run
from forked import forked

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000


def mounted(
    mount: str, *commands: Sequence[str], folder: Path, **variables: str
) -> list[CompletedProcess[str]]:
    """The commands as they ended where `mount`, a line of sh, was run before them."""
    context = forked()
    here, there = context.Pipe(duplex=False)
    environment = {**os.environ, **variables}
    process = context.Process(
        target=_run_all, args=(mount, commands, str(folder), environment, there)
    )
    process.start()
    there.close()
    with here:
        ended = [CompletedProcess(words, *here.recv()) for words in commands]
    process.join()
    return ended


def _run_all(
    mount: str,
    commands: Sequence[Sequence[str]],
    folder: str,
    environment: dict[str, str],
    ended: Connection,
) -> None:
    _leave_namespaces()
    subprocess.run(["sh", "-ec", f"mount --make-rprivate / && {mount}"], check=True)
    for words in commands:
        with TemporaryDirectory() as name:
            streams = [Path(name, stream) for stream in ("in", "out", "err")]
            for stream in streams:
                stream.touch()
            child = os.fork()
            if child == 0:
                run(list(words), opened(*streams), folder, 0o022, environment)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            ended.send((code, *(stream.read_text(encoding="utf-8") for stream in streams[1:])))


def _leave_namespaces() -> None:
    """As `unshare --mount --map-root-user` does."""
    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNS | _CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
