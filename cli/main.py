"""The `crag` program: its process set up, its app run, and left at once."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from threading import Timer, current_thread, main_thread
from types import FrameType

# A process lives for one command and holds what it imports: there is little to collect.
gc.set_threshold(250_000, 50, 50)
# A product of a query and a block of vectors takes less time than starting threads for it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# To know whether one is installed Pydantic reads what every package says of itself.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
_interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _interruptible and current_thread() is main_thread():
    # Ctrl-C while modules are being read ends the process, without Python's traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from cli.app import app  # noqa: E402
from cli.errors import Exit, Terminated  # noqa: E402
from cli.terminal import prepare_streams  # noqa: E402
from rag.deferred_imports import defer_imports  # noqa: E402

if signal.getsignal(signal.SIGINT) is signal.SIG_DFL and _interruptible:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> None:
    """Run the program and leave the process. The interpreter's slow teardown is skipped once both
    streams are flushed.
    """
    os.umask(0o077)  # what this process makes is its owner's alone
    prepare_streams()
    sys.unraisablehook = heed_interrupt
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        # Asked to end, it ends as after Ctrl-C: what is finished is kept, nothing is left over.
        signal.signal(signal.SIGTERM, _terminate)
    for name in list(os.environ):
        # LangGraph sends whole runs, documents and all, wherever LangSmith's variables say.
        if name.startswith(("LANGSMITH_", "LANGCHAIN_")):
            del os.environ[name]
    defer_imports()
    code = 1
    try:
        app(prog_name="crag")
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
    except KeyboardInterrupt:  # before the command was even looked up
        code = Exit.INTERRUPTED
    for each in (signal.SIGINT, signal.SIGTERM):  # nothing is left to be tidied up
        if callable(signal.getsignal(each)):
            signal.signal(each, lambda *_: os._exit(Exit.INTERRUPTED))
    try:
        sys.stdout.flush()
    except OSError:  # what was asked for did not arrive
        code = code or 1
    with suppress(OSError):  # nobody reads the notices
        sys.stderr.flush()
    os._exit(code)


def heed_interrupt(dropped: sys.UnraisableHookArgs) -> None:
    """Python drops what is raised where an object is taken down, also an interrupt: that is sent
    again a moment later.
    """
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    again = signal.SIGTERM if dropped.exc_type is Terminated else signal.SIGINT
    timer = Timer(0.05, os.kill, (os.getpid(), again))
    timer.daemon = True
    timer.start()


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise Terminated
