"""What a machine can do to a program: no room, no files, no memory."""

import os
import resource
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bare_process import finished
from forked_program import crag_program


@dataclass(frozen=True, slots=True)
class Hardship:
    """`shell` is run before the command, as root of a mount namespace where `mounts`; `$work`
    holds the home. `limit` is set in the process. What it is called in a failure: `words`.
    """

    words: tuple[str, ...] = ()
    shell: str = ""
    mounts: bool = False
    limit: tuple[int, int] | None = None

    def run(self, work: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """`crag` under it, whose home lies in `work`."""

        def prepare() -> None:
            if self.limit is not None:
                which, value = self.limit
                resource.setrlimit(which, (value, value))

        before = ["sh", "-c", f"work={work}; {self.shell}"] if self.shell else []
        return finished(
            [*(["unshare", "-rm"] if self.mounts else []), *before, crag_program(), *words],
            env={**os.environ, "CRAG_HOME": str(work / "home"), "HOME": str(work)},
            cwd=work,
            input=typed,
            timeout=300,
            preexec_fn=prepare,
        )


HARDSHIPS = {
    "full disk": Hardship(
        ("full", "grow", "room", "space"),
        # Nothing is left of a small disk; what became of the home is brought back afterwards.
        'mv "$work/home" "$work/was"; mkdir "$work/home";'
        ' mount -t tmpfs -o size=12m x "$work/home"; cp -a "$work/was/." "$work/home";'
        ' rm -r "$work/was"; dd if=/dev/zero of="$work/home/filler" 2>&- ; "$0" "$@"; code=$?;'
        ' rm "$work/home/filler"; cp -a "$work/home" "$work/after"; umount "$work/home";'
        ' rmdir "$work/home"; mv "$work/after" "$work/home"; exit $code',
        mounts=True,
    ),
    "read-only home": Hardship(
        ("read-only", "readonly", "Read-only", "be written"),
        'mount --bind "$work/home" "$work/home" && mount -o remount,bind,ro "$work/home"'
        ' && exec "$0" "$@"',
        mounts=True,
    ),
    "closed output": Hardship(("output is closed",), 'exec "$0" "$@" >&-'),
    "15 files": Hardship(("ulimit -n", "no more files"), limit=(resource.RLIMIT_NOFILE, 15)),
    "64 files": Hardship(("ulimit -n", "no more files"), limit=(resource.RLIMIT_NOFILE, 64)),
    "1.5 GB": Hardship(("memory",), limit=(resource.RLIMIT_AS, 1_500_000_000)),
}


@cache
def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "x", "/tmp"]
    return finished(probe).returncode == 0
