"""The `crag` program."""

from __future__ import annotations

import sys

from cli.help_page import print_help_page


def main() -> None:
    """Run the program and leave the process; the page of all commands is printed without it."""
    if sys.argv[1:] in (["--help"], ["-h"]) and print_help_page():
        return
    from cli.program import run

    run()
