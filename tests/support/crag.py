"""`crag` as tests start it: in this process, in a shell, on a terminal; in a home with a small
collection, built once and copied.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_AS, setrlimit
from typing import Any

import pexpect
from bare_process import finished
from forked_program import crag_program
from ingest_runs import Library, home_of
from typer.testing import CliRunner, Result

from cli.app import app

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_corpus"
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m"

FILES = {
    "byzantium.md": "# Byzantine Empire\n\nThe Byzantine Empire was the continuation of the Roman "
    "Empire in the east. Its capital was Constantinople.\n\nThe religion of the Byzantine Empire "
    "was Eastern Orthodox Christianity. Its last emperor was Constantine XI Palaiologos, who died "
    "in 1453.\n",
    "viaduct.md": "# Gillfoot Viaduct\n\nThe Gillfoot Viaduct is 31 metres high and has nine "
    "arches. It was built of granite in 1896.\n\nThe Gillfoot Viaduct is 212 metres long.\n",
    "fares.md": "# Fares\n\nA return ticket for an adult costs 24 crowns. A return ticket for a "
    f"child costs 9 crowns. {HOSTILE}Dogs travel free of charge.\n",
}
HIGH = "How high is the Gillfoot Viaduct?"


def make_home(folder: Path) -> Path:
    """A CRAG_HOME in `folder` whose default collection holds FILES, of a folder beside it."""
    return home_of(folder, FILES)


@cache
def _samples() -> Path:
    home = Path(tempfile.mkdtemp(prefix="crag-home-"))
    Library(home).ingest(SAMPLES)
    return home


def sample_home(folder: Path) -> Path:
    """The same with the sample corpus."""
    return shutil.copytree(_samples(), folder / "home")


def environment(home: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "CRAG_HOME": str(home),
        "CRAG_ENGINE": "local",
        "PYTHONPATH": str(ROOT),
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "TERM": "xterm",
        **more,
    }


def crag(home: Path, *words: object, stdin: str | None = None, **variables: str) -> Result:
    """A finished run in this process, which spares it the start."""
    more = {"CRAG_HOME": str(home), "CRAG_ENGINE": "local", **variables}
    return CliRunner().invoke(app, list(map(str, words)), input=stdin, env=more)


def turns(home: Path, thread: str) -> list[dict[str, Any]]:
    """What is kept of a thread, none where there is no such thread."""
    shown = crag(home, "threads", "show", thread, "--json")
    return json.loads(shown.stdout)["turns"] if shown.exit_code == 0 else []


def shell(home: Path, line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A line of sh in which `$CRAG` is the program, started whole; `$FORKED` starts at once."""
    program = {"CRAG": f"{sys.executable} -m cli", "FORKED": crag_program()}
    program |= {"CRAG_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return finished(["/bin/sh", "-c", line], env={**os.environ, **program, **variables})


def run_forked(
    home: Path, *words: str, umask: int = -1, memory: int = RLIM_INFINITY, **variables: str
) -> subprocess.CompletedProcess[str]:
    """A finished run in a process of its own, in the folder of its home."""
    return finished(
        [crag_program(), *words],
        cwd=home.parent,
        env=environment(home, **variables),
        stdin=subprocess.DEVNULL,
        umask=umask,
        preexec_fn=lambda: setrlimit(RLIMIT_AS, (memory, memory)),
    )


def interrupted(home: Path, *words: str, at: str, of="stdout", **variables) -> tuple[int, str, str]:
    """A run that Ctrl-C meets once a line `of` a stream holds `at`: its exit code, and all that it
    wrote to both.
    """
    piped: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    here = environment(home, **variables)
    process: Any = subprocess.Popen([crag_program(), *words], env=here, **piped)
    written: dict[str, list[str]] = {"stdout": [], "stderr": []}
    for line in getattr(process, of):
        written[of].append(line)
        if at in line:
            break
    process.send_signal(signal.SIGINT)
    for name, rest in zip(written, process.communicate(timeout=120), strict=True):
        written[name].append(rest)
    return process.returncode, *("".join(lines) for lines in written.values())


def in_terminal(home: Path, *words: str, columns: int = 120, **variables: str) -> pexpect.spawn:
    """`crag` in a pseudo-terminal of its own."""
    return pexpect.spawn(
        crag_program(),
        list(words),
        env=environment(home, **variables),
        encoding="utf-8",
        codec_errors="replace",  # an echoed ^C may split a character
        timeout=60,
        dimensions=(40, columns),
    )


def shown_in_terminal(home: Path, *words: str, **more: object) -> tuple[str, int]:
    """What a command wrote there, as bytes come, and its exit code."""
    child = in_terminal(home, *words, **more)
    code = ended(child)
    return child.before, code


def ended(child: pexpect.spawn) -> int:
    """The exit code, once it has ended."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


# How the prompt takes the terminal, before it is drawn, and gives it back. What is typed between
# the two is a line; a Ctrl-D that comes sooner is lost.
_TAKEN, GIVEN_BACK = "\x1b[?2004h", "\x1b[?2004l"


def chat_in_terminal(home: Path, *words: str, **variables: str) -> pexpect.spawn:
    """`crag chat` at its first prompt."""
    child = in_terminal(home, "chat", *words, **variables)
    prompted(child)
    return child


def prompted(child: pexpect.spawn) -> str:
    """Wait until the prompt reads; what was shown before it."""
    child.expect_exact(_TAKEN)
    shown = child.before
    child.expect_exact("crag>")
    return shown


def entered(child: pexpect.spawn, line: str) -> None:
    """Type the line, and wait until the prompt has taken it: what it was drawn of is past."""
    child.send(line + "\r")
    child.expect_exact(GIVEN_BACK)


def say(child: pexpect.spawn, line: str, *expected: str) -> str:
    """Send a line, wait for all of `expected` in order and then for the next prompt; what was
    shown.
    """
    entered(child, line)
    shown = ""
    for words in expected:
        child.expect(r"\s+".join(map(re.escape, words.split())))
        shown += child.before + child.after
    return shown + prompted(child)


def leave(child: pexpect.spawn, line: str | None = None) -> int:
    """By that line, or by Ctrl-D; the exit code."""
    if line is None:
        child.sendeof()
    else:
        entered(child, line)
    return ended(child)
