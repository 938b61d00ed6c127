"""Asking before something is deleted or changed."""

from __future__ import annotations

import sys

import typer

from state.errors import CragError, UsageError


class DeclinedError(CragError):
    """The person said no."""


def confirm(question: str, *, yes: bool) -> None:
    """Asks unless `yes`; raises DeclinedError at a no, UsageError where nobody can be asked, and
    typer.Abort at Ctrl-C.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("This asks first, and nobody is there to answer.", "Add --yes.")
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort:
        typer.echo(err=True)  # what follows begins a line
        raise
    if not agreed:
        raise DeclinedError("Nothing was changed.")
