"""What a machine can do to a program: no room, no files, no memory, another century."""

import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long off(void) {
  const char *by = getenv("CLOCK_OFF_BY"), *file = getenv("CLOCK_FILE");
  char more[24] = {0};
  int before = errno, opened = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (opened >= 0 && read(opened, more, sizeof more - 1) < 0) more[0] = 0;
  if (opened >= 0) close(opened);
  errno = before;
  return (by ? atol(by) : 0) + atol(more);
}
int clock_gettime(clockid_t id, struct timespec *t) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int code = real(id, t);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) t->tv_sec += off();
  return code;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  struct timespec now; (void)zone; clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec; t->tv_usec = now.tv_nsec / 1000; return 0;
}
time_t time(time_t *at) {
  struct timespec now; clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec; return now.tv_sec;
}
"""
_YEARS_80 = 80 * 365 * 86_400


@dataclass(frozen=True, slots=True)
class Hardship:
    """`shell` is run before the command, as root of a mount namespace where `mounts`; `$work`
    holds the home. `limit` is set in the process. What it is called in a failure: `words`.
    """

    words: tuple[str, ...] = ()
    shell: str = ""
    mounts: bool = False
    limit: tuple[int, int] | None = None
    clock: int = 0

    def command(self, work: Path, command: list[str]) -> list[str]:
        if not self.shell:
            return command
        run = ["sh", "-c", f"work={work}; {self.shell}", *command]
        return ["unshare", "-rm", *run] if self.mounts else run

    def prepare(self) -> Callable[[], None] | None:
        if self.limit is None:
            return None
        which, value = self.limit
        return lambda: resource.setrlimit(which, (value, value))


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
        ("read-only", "readonly", "Read-only", "Let the home be written"),
        'mount --bind "$work/home" "$work/home" && mount -o remount,bind,ro "$work/home"'
        ' && exec "$0" "$@"',
        mounts=True,
    ),
    "closed output": Hardship(("output is closed",), 'exec "$0" "$@" >&-'),
    "16 files": Hardship(("ulimit -n", "no more files"), limit=(resource.RLIMIT_NOFILE, 16)),
    "64 files": Hardship(("ulimit -n", "no more files"), limit=(resource.RLIMIT_NOFILE, 64)),
    "1.5 GB": Hardship(("memory",), limit=(resource.RLIMIT_AS, 1_500_000_000)),
    "80 years on": Hardship(clock=_YEARS_80),
}


@cache
def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "x", "/tmp"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def clock_library(folder: Path) -> Path | None:
    """To be preloaded: the clock is off by CLOCK_OFF_BY seconds and by what stands in CLOCK_FILE.
    None where no compiler is.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    made = folder / "clock.so"
    source = folder / "clock.c"
    source.write_text(_CLOCK)
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"],
        check=True, capture_output=True,
    )  # fmt: skip
    return made


if __name__ == "__main__":
    print(clock_library(Path(sys.argv[1])))
