"""The `crag` program: a Typer app whose commands are imported when they are called."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated

import typer

from cli.lazy import LazyGroup

app = typer.Typer(
    name="crag",
    cls=LazyGroup,
    help="Ask questions of your own documents; every sentence of an answer is cited.",
    epilog="Every long flag has a CRAG_… variable: CRAG_MAX_LOOPS for --max-loops.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _show_version(value: bool) -> None:
    if value:
        from cli.versions import version_text

        typer.echo(version_text())
        raise typer.Exit


@app.callback()
def crag(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            help="Print the versions that matter in a bug report.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Ask questions of your own documents; every sentence of an answer is cited."""


def _forget_tracers() -> None:
    """LangGraph sends whole runs, documents and all, wherever LangSmith's variables say."""
    for name in list(os.environ):
        if name.startswith(("LANGSMITH_", "LANGCHAIN_")):
            del os.environ[name]


def main() -> None:
    """Run the program and leave at once.

    A process lives for one command, so the collector is kept rare and the interpreter's
    slow teardown is skipped once both streams are flushed.
    """
    gc.set_threshold(100_000, 50, 50)
    _forget_tracers()
    code = 1
    try:
        app(prog_name="crag")
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # a closed pipe: the reader has what it wanted
            code = code or 1
    os._exit(code)


if __name__ == "__main__":
    main()
