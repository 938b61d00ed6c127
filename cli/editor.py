"""The program that a person opens files with, at a line where it can be told one."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from cli.files import keep_private
from state.errors import SetupError

_PLUS = frozenset(
    "emacs emacsclient jed joe kak mcedit mg micro nano ne nvim pico vi vim vis".split()  # noqa: SIM905 - one a word
)
_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_COLON = frozenset({"helix", "hx", "subl", "zed", "zeditor"})


def opening_command(file: Path, line: int | None) -> list[str] | None:
    """What opens a file: $VISUAL or $EDITOR a text, the desktop's viewer anything else or where
    neither is set; None where there is nothing.

    Raises:
        SetupError: the variable is no command.
    """
    words = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        editor = shlex.split(words)
    except ValueError as error:
        raise SetupError(f"The editor {words!r} is no command: {error}.", "Set EDITOR.") from None
    if editor and _is_text(file):
        return [*editor, *_at_line(Path(editor[0]).name, str(file), line)]
    if sys.platform == "darwin":
        return ["open", str(file)]
    seen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if seen and (viewer := shutil.which("xdg-open")):
        return [viewer, str(file)]
    return None


def run_program(command: list[str]) -> None:
    """Run it on this terminal until it ends, with the person's own umask.

    Raises:
        SetupError: it cannot be started, or it failed.
    """
    try:
        done = subprocess.run(command, check=False, umask=keep_private())  # noqa: S603 - theirs
    except OSError as error:
        raise SetupError(
            f"{command[0]} cannot be started: {error.strerror or error}.", "Set EDITOR."
        ) from None
    if done.returncode:
        raise SetupError(f"{command[0]} ended with code {done.returncode}.")


def _at_line(name: str, file: str, line: int | None) -> list[str]:
    if line is None:
        return [file]
    if name in _PLUS:
        return [f"+{line}", file]
    if name in _GOTO:
        return ["--goto", f"{file}:{line}"]
    return [f"{file}:{line}"] if name in _COLON else [file]


def _is_text(file: Path) -> bool:
    with file.open("rb") as opened:
        return b"\0" not in opened.read(8192)
