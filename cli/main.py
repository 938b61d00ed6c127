"""The `crag` program: it sets up its process, runs the app, and leaves the process at once."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from threading import Timer, current_thread, main_thread
from types import FrameType

# A process lives for one command and holds what it imports: there is little to collect.
gc.set_threshold(250_000, 50, 50)
# To look for plugins, Pydantic would read the metadata of every installed package.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    # Ctrl-C before the command runs ends the process, without Python's traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from typer.main import get_command  # noqa: E402

from cli.app import app  # noqa: E402
from cli.errors import Exit, flag_given  # noqa: E402
from cli.terminal import Terminal, prepare_streams  # noqa: E402
from rag.absent_packages import leave_out_packages  # noqa: E402


def main() -> None:
    """Run the program and leave the process. The interpreter's slow teardown is skipped once both
    streams are flushed.
    """
    os.umask(0o077)  # what this process makes is its owner's alone
    prepare_streams()
    sys.unraisablehook = resend_interrupt
    if not flag_given("debug", sys.argv):
        warnings.simplefilter("ignore")  # libraries' own, which tell programmers of their code
    for name in list(os.environ):
        # LangGraph sends whole runs, documents and all, wherever LangSmith's variables say.
        if name.startswith(("LANGSMITH_", "LANGCHAIN_")):
            del os.environ[name]
    leave_out_packages()
    command, code = get_command(app), 1
    try:
        try:
            _handle_interrupts(signal.default_int_handler)
            command(prog_name="crag")
        finally:  # nothing is left to be tidied up
            _handle_interrupts(lambda *_: os._exit(Exit.INTERRUPTED))
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
    except KeyboardInterrupt:  # a second one, before the first was told of
        Terminal().warn("crag: interrupted.")
        code = Exit.INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:  # what was asked for did not arrive
        code = code or 1
    with suppress(OSError):  # nobody reads the notices
        sys.stderr.flush()
    os._exit(code)


def resend_interrupt(dropped: sys.UnraisableHookArgs) -> None:
    """Python drops exceptions that are raised while an object is destroyed. An interrupt among them
    is sent again a moment later; others are shown with --debug only, since what an interrupt found
    half entered may be taken down after what it needs.
    """
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        if flag_given("debug", sys.argv):
            sys.__unraisablehook__(dropped)
        return
    timer = Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()


def _handle_interrupts(handler: Callable[[int, FrameType | None], object]) -> None:
    """Set the handler of interrupts, unless the caller had this process ignore them."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)
