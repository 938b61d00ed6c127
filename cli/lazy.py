"""The group of all commands: it imports the one that is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import typer
import typer.core
import typer.main

from cli.app import finish
from cli.command_table import COMMANDS
from cli.errors import end_on
from cli.exits import Exit
from cli.terminal import Terminal, clean
from cli.variables import is_on


def command_of(name: str) -> Any:
    """One command, imported now."""
    command = typer.main.get_command(import_module(f"cli.commands.{name}").app)
    command.name = name
    for each in getattr(command, "commands", {name: command}).values():
        finish(each)
    return command


class LazyGroup(typer.core.TyperGroup):
    """Lists every command without importing one; imports the one that is called."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = command_of(cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        from typer._click.shell_completion import CompletionItem

        return [
            CompletionItem(name, help=short)
            for name, short in COMMANDS.items()
            if name.startswith(incomplete)
        ] or super().shell_complete(ctx, incomplete)

    def invoke(self, ctx: Any) -> Any:
        _report_unknown(ctx.args)
        return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean `crag {near[0]}`?" if near else ""
            ctx.fail(f"There is no command {clean(args[0])!r}.{hint}")
        return super().resolve_command(ctx, args)

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


def _report_unknown(arguments: Sequence[str]) -> None:
    """One line on stderr for each CRAG_… variable that nothing reads."""
    given = {name for name in os.environ if name.upper().startswith("CRAG_")} - {"CRAG_HOME"}
    if not given or {"-q", "--quiet"} & set(arguments) or is_on("CRAG_QUIET"):
        return
    from state.settings import Settings

    given = {name for name in given if name[5:].lower() not in Settings.model_fields}
    known = _twins() if given else set()
    for name in sorted(given - known):
        near = get_close_matches(name.upper(), sorted(known), n=1, cutoff=0.75)
        hint = f"Did you mean {near[0]}?" if near else "`crag config show` lists every setting."
        Terminal().warn(f"warning: nothing reads the variable {name}. {hint}")


def _twins() -> set[str]:
    """The variables of every setting and of every option of every command."""
    from state.settings import Settings

    known = {f"CRAG_{key.upper()}" for key in Settings.model_fields}
    for name in COMMANDS:
        command = command_of(name)
        for each in getattr(command, "commands", {name: command}).values():
            known.update(option.envvar for option in each.params if isinstance(option.envvar, str))
    return known
