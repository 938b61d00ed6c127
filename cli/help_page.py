"""What `crag --help` prints, as Typer makes it, without importing Typer: that takes five times as
long. A test keeps the two equal.
"""

from __future__ import annotations

import os
import sys

from cli.command_table import COMMANDS

PURPOSE = "Ask questions of your own documents; every sentence of an answer is cited."
EPILOG = "Every long flag has a CRAG_… variable: CRAG_MAX_LOOPS for --max-loops."
VERSION = "Print the versions that matter in a bug report."

_COLUMNS = 80
"""Where a terminal has more of them, the page is no wider."""

_OPTIONS = {
    "-V, --version": VERSION,
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": (
        "Show completion for the current shell, to copy it or customize the installation."
    ),
    "-h, --help": "Show this message and exit.",
}


def print_help_page() -> bool:
    """Print it, unless it has to be made: for a narrow terminal, for completion, or where it
    cannot be printed, which is then said.
    """
    if "_CRAG_COMPLETE" in os.environ or sys.stdout is None or not _is_wide():
        return False
    try:
        sys.stdout.write(help_page())
        sys.stdout.flush()
    except (OSError, ValueError):
        return False
    return True


def help_page() -> str:
    return (
        f"Usage: crag [OPTIONS] COMMAND [ARGS]...\n\n  {PURPOSE}\n\n"
        f"Options:\n{_listed(_OPTIONS)}\nCommands:\n{_listed(COMMANDS)}\n  {EPILOG}\n"
    )


def _is_wide() -> bool:
    if given := os.environ.get("COLUMNS"):
        return given.isdecimal() and int(given) >= _COLUMNS
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns >= _COLUMNS
    except (OSError, ValueError):  # no terminal
        return True


def _listed(texts: dict[str, str]) -> str:
    start = max(map(len, texts)) + 4
    lines = []
    for name, text in texts.items():
        line = f"  {name}".ljust(start)
        for word in text.split():
            if len(line) + len(word) + (len(line) > start) > _COLUMNS - 2:
                lines.append(line)
                line = " " * start
            line += f" {word}" if len(line) > start else word
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)
