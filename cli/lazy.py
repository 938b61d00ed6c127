"""The command table, the lazy group over it, and the one error boundary."""

from __future__ import annotations

import errno
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
from cli.event_stream import end_events
from cli.exits import Exit, exit_code
from cli.first_sign import clear_first_sign, show_first_sign
from cli.variables import is_on, tell_unknown

COMMANDS: dict[str, tuple[str, str]] = {
    "ingest": ("cli.ingest", "Make the collection equal to these folders and files."),
    "ask": ("cli.ask", "Ask one question; '-' reads it from standard input."),
    "chat": ("cli.chat", "Talk with your documents on a thread."),
    "search": ("cli.search", "Retrieve without answering, with scores."),
    "research": ("cli.research", "Plan, research and write a cited report."),
    "trace": ("cli.trace", "Read, compare and replay stored traces."),
    "graph": ("cli.graph", "Print the graph as it is compiled."),
    "threads": ("cli.threads", "List, show, export, delete and prune threads."),
    "collections": ("cli.collections", "List, show and delete collections."),
    "status": ("cli.status", "What is indexed, what is stale, which models, how large."),
    "doctor": ("cli.doctor", "Check each part and print the mending command."),
    "eval": ("cli.evaluate", "Score retrieval, grading, abstention and answers on a dataset."),
    "config": ("cli.config", "Show, locate or start the settings file."),
    "mcp": ("cli.mcp", "Serve the collection to agents over MCP."),
}


UNLISTED = {
    "man": ("cli.man", "Print the manual page."),
    "schema": ("cli.schema", "Print the JSON Schema of the lines of --events."),
}


def command_of(name: str) -> Any:
    """One command, imported now."""
    module, _ = COMMANDS.get(name) or UNLISTED[name]
    command = typer.main.get_command(import_module(module).app)
    command.name = name
    for each in getattr(command, "commands", {name: command}).values():
        finish(each)
    return command


class LazyGroup(typer.core.TyperGroup):
    """Lists every command without importing one; imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in COMMANDS and cmd_name not in UNLISTED:
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = command_of(cmd_name)
        return self.commands[cmd_name]

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        from typer._click.shell_completion import CompletionItem

        return [
            CompletionItem(name, help=short)
            for name, (_, short) in COMMANDS.items()
            if name.startswith(incomplete)
        ] or super().shell_complete(ctx, incomplete)

    def invoke(self, ctx: Any) -> Any:
        tell_unknown(ctx.args)
        return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS | UNLISTED:
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean `crag {near[0]}`?" if near else ""
            ctx.fail(f"There is no command {_printable(args[0])!r}.{hint}")
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; every failure becomes one line on stderr and its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given or is_on("CRAG_DEBUG")
        show_first_sign(given)
        try:
            result = super().main(
                args=args,
                prog_name=prog_name,
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
        except BaseException as error:
            if isinstance(error, SystemExit):
                if isinstance(error.__context__, BrokenPipeError):  # Click makes it a failure
                    _discard_stdout()
                    sys.exit(Exit.DONE)
                raise
            from state.urls import masked

            if debug and not isinstance(error, typer.Abort | KeyboardInterrupt):
                import traceback

                traceback.print_exception(error)
            line, code = _describe(error)
            clear_first_sign()
            line = masked(line)
            if line:
                typer.echo(_printable(line), err=True)
            end_events(given, _kind(error), line, code)
            sys.exit(code)
        if not standalone_mode:
            return result
        code = result if isinstance(result, int) else Exit.DONE
        if code == Exit.INTERRUPTED:
            clear_first_sign()
            typer.echo("crag: interrupted.", err=True)
            end_events(given, "Interrupted", "crag: interrupted.", code)
        sys.exit(code)


def _describe(error: BaseException) -> tuple[str, int]:
    """The one line and the exit code of whatever ended the command."""
    from state.errors import CragError

    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return "crag: interrupted.", Exit.INTERRUPTED
    if isinstance(error, typer.TyperException):
        return _usage_line(error), getattr(error, "exit_code", Exit.USAGE)
    if isinstance(error, CragError):
        return f"crag: {error}", exit_code(error)
    if isinstance(error, OSError | MemoryError):
        from state.errors import storage_error

        mapped = storage_error(
            error if isinstance(error, OSError) else OSError(errno.ENOMEM, "no memory")
        )
        if mapped is not None:
            return f"crag: {mapped}", exit_code(mapped)
    if isinstance(error, UnicodeEncodeError) and error.encoding == sys.getfilesystemencoding():
        line = f"crag: The locale's encoding, {error.encoding}, cannot hold the name of a file."
        return f"{line} Set LC_ALL=C.UTF-8 or PYTHONUTF8=1.", Exit.SETUP
    what = " ".join(str(error).split())[:500]
    line = f"crag: unexpected {type(error).__name__}: {what}."
    return f"{line} Run it again with --debug and report the traceback.", Exit.UNEXPECTED


def _kind(error: BaseException) -> str:
    """The class of a failure that has one in state.errors, or a word for the others."""
    from state.errors import CragError

    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return "Interrupted"
    if isinstance(error, typer.TyperException):
        return "UsageError"
    if isinstance(error, CragError):
        return type(error).__name__
    return "StorageError" if isinstance(error, OSError) else "Unexpected"


def _usage_line(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "crag"
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.format_message()
    message = " ".join(error.format_message().split()).replace(": Value error, ", ": ")
    stop = "" if message.endswith((".", "?", "!", "`")) else "."
    return f"{path}: {message}{stop} See `{path} --help`."


def _printable(text: str) -> str:
    """`text` without control characters, which could drive the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _discard_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
