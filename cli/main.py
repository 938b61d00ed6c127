"""The `crag` program."""

from __future__ import annotations


def main() -> None:
    """Run the program and leave the process."""
    from cli.program import run

    run()
