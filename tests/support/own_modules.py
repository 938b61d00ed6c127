"""Run as a program: `crag` with these arguments, and then on stderr how many modules of crag the
process holds and how many of them a function ran of.

    CRAG_HOME=... python tests/support/own_modules.py ask "How long is the tunnel?"
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

ROOT = str(Path(__file__).parents[2])
OPTIMIZED = 0x1
"""Of a code object: a function's; the body of a module or class has it not."""


def count(arguments: list[str]) -> NoReturn:
    """Run it, and tell both figures where the process would end."""
    called: set[str] = set()

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        if frame.f_code.co_flags & OPTIMIZED:
            called.add(frame.f_code.co_filename)

    def end(code: int) -> NoReturn:
        sys.settrace(None)
        names = [name for name in sys.modules if name.split(".")[0] in ("cli", "rag", "state")]
        files = {str(sys.modules[name].__file__) for name in names}
        print(f"modules {len(files)} run {len(files & called)}", file=sys.stderr, flush=True)
        leave(code)

    sys.path.insert(0, ROOT)
    from cli.main import main

    leave, os._exit = os._exit, end
    sys.argv = ["crag", *arguments]
    threading.settrace(note)
    sys.settrace(note)
    main()
    raise AssertionError("the program leaves by os._exit")


if __name__ == "__main__":
    count(sys.argv[1:])
