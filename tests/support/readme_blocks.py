"""What the docs print of the program, made from the program itself.

    python tests/support/readme_blocks.py          says which file is out of date
    python tests/support/readme_blocks.py --write  brings them up to date

docs/commands.md (every command's help) is made as a whole.
In README.md and the other pages of docs/ a block is a fenced one behind `<!-- run: crag … -->`.
Commands run in one session: a fresh home that reads with the reader's weights, the local engine, 80
columns.
"""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from bare_process import finished
from forked_program import crag_program
from reader_weights import lent

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "commands.md"
PAGES = [README, *sorted(set((ROOT / "docs").glob("*.md")) - {REFERENCE})]
"""What is written by hand, the README first."""

REFERENCE_HEAD = """\
# Every command

What `crag COMMAND --help` prints. Made by the program
(`python tests/support/readme_blocks.py --write`) and checked by a test. Every long flag has a
twin in the environment: `CRAG_MAX_LOOPS` for `--max-loops`.
"""
BLOCK = re.compile(
    r"(?P<head><!-- run: (?P<run>.+?) -->\n```\w*\n)(?P<printed>.*?)(?P<foot>\n```)", re.DOTALL
)
VARIES = (
    (re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}"), "20261121-090000-c0ffee"),
    (re.compile(r"in \d+(?:\.\d+)? ms \([^)]*\)"), "in 40 ms"),
    (re.compile(r"in \d+(?:\.\d+)? s\b"), "in 1.0 s"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b"), "2026-11-21 09:00"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


def steady(text: str) -> str:
    """The text without what differs from run to run: ids, times, dates, trailing blanks."""
    for pattern, fixed in VARIES:
        text = pattern.sub(fixed, text)
    return text.rstrip()


class Session:
    """Runs the README's commands one after the other, as a newcomer would."""

    def __init__(self, home: Path) -> None:
        self._environment = {
            **os.environ,
            "CRAG_HOME": str(lent(home)),
            "CRAG_ENGINE": "local",
            "COLUMNS": "80",
            "TERMINAL_WIDTH": "80",
            "NO_COLOR": "1",
        }

    def run(self, command: str) -> str:
        """Both streams of one `crag …` command line, as a terminal would show them."""
        name, *arguments = shlex.split(command)
        assert name == "crag", command
        both = ("sh", "-c", 'exec "$0" "$@" 2>&1 </dev/null', crag_program(), *arguments)
        done = finished(both, cwd=ROOT, env=self._environment, timeout=300)
        assert done.returncode in (0, 3), f"{command}: {done.stdout}"
        return done.stdout


def refreshed(text: str, session: Session) -> str:
    """The document with every block as the program prints it now."""

    def fresh(found: re.Match[str]) -> str:
        return f"{found['head']}{steady(session.run(found['run']))}{found['foot']}"

    return BLOCK.sub(fresh, text)


def reference() -> str:
    """docs/commands.md: the help of every command and of every one beneath it."""
    from cli.app import COMMANDS, command_of

    parts = [REFERENCE_HEAD, f"```text\n$ crag --help\n{steady(help_of([]))}\n```\n"]
    for name, short in COMMANDS.items():
        parts.append(f"## crag {name}\n\n{short}\n")
        for child in ("", *getattr(command_of(name), "commands", {})):
            words = [name, child] if child else [name]
            shown = f"$ crag {' '.join(words)} --help\n{steady(help_of(words))}"
            parts.append(f"```text\n{shown}\n```\n")
    return "\n".join(parts)


def help_of(words: list[str]) -> str:
    from typer.testing import CliRunner

    from cli.app import app

    # 78: what a process writes on a terminal of 80 columns.
    done = CliRunner().invoke(app, [*words, "--help"], prog_name="crag", terminal_width=78)
    assert done.exit_code == 0, done.output
    return done.output


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        session = Session(Path(home))
        made_now = {page: refreshed(page.read_text("utf-8"), session) for page in PAGES}
    made_now[REFERENCE] = reference()
    stale = [path for path, text in made_now.items() if path.read_text("utf-8") != text]
    for path in stale:
        if "--write" in sys.argv:
            path.write_text(made_now[path], encoding="utf-8")
        else:
            print(f"{path.name} is out of date: python tests/support/readme_blocks.py --write")
    return int(bool(stale) and "--write" not in sys.argv)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
