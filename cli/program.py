"""The Typer app, whose commands are imported when they are called, and its run to the exit."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Annotated

# A process lives for one command and holds what it imports: there is little to collect.
gc.set_threshold(250_000, 50, 50)
# A product of a query and a block of vectors takes less time than starting threads for it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
_interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _interruptible and current_thread() is main_thread():
    # Ctrl-C while modules are being read ends the process, without Python's traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import typer  # noqa: E402

from cli.exits import Exit, Terminated  # noqa: E402
from cli.files import keep_private  # noqa: E402
from cli.lazy import LazyGroup  # noqa: E402
from cli.terminal import prepare_streams  # noqa: E402
from rag.deferred_imports import defer_imports  # noqa: E402
from state.errors import StorageError  # noqa: E402

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
    """What all commands have in common."""


def _forget_tracers() -> None:
    """LangGraph sends whole runs, documents and all, wherever LangSmith's variables say."""
    for name in list(os.environ):
        if name.startswith(("LANGSMITH_", "LANGCHAIN_")):
            del os.environ[name]


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise Terminated


def run() -> None:
    """Run the program and leave at once.

    The interpreter's slow teardown is skipped once both streams are flushed.
    """
    keep_private()
    prepare_streams()
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        # Asked to end, it ends as after Ctrl-C: what is finished is kept, nothing is left over.
        signal.signal(signal.SIGTERM, _terminate)
    _forget_tracers()
    defer_imports()
    code = 1
    try:
        app(prog_name="crag")
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
    except KeyboardInterrupt:  # before the command was even looked up
        code = Exit.INTERRUPTED
    try:
        sys.stdout.flush()
    except (OSError, StorageError):  # what was asked for did not arrive
        code = code or 1
    with suppress(OSError):  # nobody reads the notices
        sys.stderr.flush()
    os._exit(code)


if signal.getsignal(signal.SIGINT) is signal.SIG_DFL and _interruptible:
    signal.signal(signal.SIGINT, signal.default_int_handler)
