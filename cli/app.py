"""The Typer app of all commands; each is a module of `cli.commands`, imported when called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from cli.errors import Exit, end_on

COMMANDS = {
    "ingest": "Make the collection equal to these folders and files.",
    "ask": "Answer one question from the collection, each sentence cited.",
    "chat": "Talk with your documents; every turn is kept in its thread.",
    "search": "Print the chunks that a query retrieves, best first.",
    "open": "Show a place that the last answer cites, in its surroundings.",
    "research": "Plan a question, research its parts, and write a cited report.",
    "trace": "Read, compare and replay stored traces.",
    "graph": "Print the corrective graph as Mermaid, from the compiled graph.",
    "threads": "List, show, export, delete and prune threads.",
    "collections": "List, show and delete collections.",
    "status": "Show what is indexed, what is stale, which models, how large.",
    "doctor": "Check each part and print the mending command.",
    "eval": "Score retrieval, grading, abstention and answers on a dataset.",
    "model": "The model that answers, and the weights that rank by meaning.",
    "config": "Show, locate or start the settings file.",
    "mcp": "Serve the collection to agents over MCP; print their skill file.",
}
"""The line that the help shows for each command."""


def new_app(text: str | None = None, **changed: Any) -> typer.Typer:
    """An app for one command, or for a group whose help is `text`."""
    plain: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}
    return typer.Typer(**{"help": text, "add_completion": False, **plain, **changed})


class DefaultGroup(typer.core.TyperGroup):
    """A group that runs its first command if no command is named. If that command takes no
    arguments, an unknown word is not passed to it.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        name, default = next(iter(self.commands.items()))
        word = next(iter(args), "--")
        takes = word[:1] == "-" or any(
            each.param_type_name == "argument" for each in default.params
        )
        completes = ctx.resilient_parsing  # a shell completes: it is offered every command
        if takes and not completes and word not in {*self.commands, "--help", "-h"}:
            args = [name, *args]
        return super().parse_args(ctx, args)


def command_of(name: str) -> Any:
    """A command, imported now. Its long options get CRAG_… variables, except those that are
    settings, which read their own and know where a value came from.
    """
    from cli.options import SETTINGS

    command = typer.main.get_command(import_module(f"cli.commands.{name}").app)
    command.name = name
    for each in getattr(command, "commands", {name: command}).values():
        for option in each.params:
            long = next((flag[2:] for flag in option.opts if flag.startswith("--")), None)
            if long is not None and long.replace("-", "_") not in SETTINGS:
                option.envvar = f"CRAG_{long.upper().replace('-', '_')}"
                option.show_envvar = False
    return command


class LazyGroup(typer.core.TyperGroup):
    """Lists every command without importing any, and ends the program on a command's failure."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name in COMMANDS and self.commands[cmd_name] is None:
            self.commands[cmd_name] = command_of(cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, args: Sequence[str] | None = None, **named: Any) -> Any:  # type: ignore[override]
        """Run a command; every failure becomes one line on stderr and its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        try:
            result = super().main(args, **named, standalone_mode=False)
        except BaseException as error:  # noqa: BLE001 - the boundary exits
            end_on(error, given)
        code = result if isinstance(result, int) else Exit.DONE
        if code == Exit.INTERRUPTED:
            end_on(KeyboardInterrupt(), given)
        sys.exit(code)


app = new_app(
    "Ask questions of your own documents; every sentence of an answer is cited.",
    name="crag",
    cls=LazyGroup,
    epilog="Every long flag has a CRAG_… variable: CRAG_MAX_LOOPS for --max-loops.",
    add_completion=True,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _show_version(value: bool) -> None:
    if value:
        from state.extras import package_version

        shown = (f"{name} {package_version(name)}" for name in ("langgraph", "chromadb", "typer"))
        python = sys.version.partition(" ")[0]
        typer.echo(f"crag {package_version('crag-cli')} (Python {python}, {', '.join(shown)})")
        raise typer.Exit


@app.callback()
def crag(
    version: Annotated[
        bool,
        typer.Option(
            *("--version", "-V"),
            help="Print the versions that matter in a bug report.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """What all commands have in common."""
