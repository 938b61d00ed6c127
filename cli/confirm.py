"""Asking before something is deleted."""

from __future__ import annotations

import sys

import typer

from state.errors import UsageError


def confirm(question: str, *, yes: bool) -> None:
    """Asks unless `yes`; raises typer.Abort at a no, and UsageError where nobody can be asked."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("This asks first, and nobody is there to answer.", "Add --yes.")
    typer.confirm(question, abort=True, err=True)
