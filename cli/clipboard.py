"""The clipboard: a program of the desktop where there is one, else the terminal's own (OSC 52)."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

from cli.terminal import Terminal

MOST_BYTES = 74_994
"""What every terminal that knows OSC 52 takes; xterm drops longer ones in silence."""

_SECONDS = 5


def copy(text: str, terminal: Terminal) -> None:
    """Put `text` on the clipboard, and say where it went or why it did not."""
    data = text.encode("utf-8", "replace")
    for command in _programs():
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(  # noqa: S603 - a program of the person's own PATH
                command, input=data, check=True, timeout=_SECONDS,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            terminal.notice("Copied.")
            return
    stream = next((each for each in (sys.stderr, sys.stdout) if each.isatty()), None)
    if stream is None:
        terminal.warn("Not copied: there is no terminal here and no program for a clipboard.")
    elif len(data) > MOST_BYTES:
        terminal.warn(f"Not copied: a terminal takes {MOST_BYTES:,} bytes at most.")
    else:
        stream.write(f"\x1b]52;c;{base64.b64encode(data).decode()}\x07")
        stream.flush()
        terminal.notice("Copied, by way of the terminal.")


def _programs() -> Iterator[list[str]]:
    """Those that reach the person's own clipboard: one on a machine far away is not theirs."""
    there = os.environ
    if there.get("TMUX") and shutil.which("tmux"):
        yield ["tmux", "load-buffer", "-w", "-"]  # tmux itself passes on no OSC 52
    if there.get("SSH_CONNECTION"):
        return
    if sys.platform == "darwin":
        yield ["pbcopy"]
    elif there.get("WAYLAND_DISPLAY") and shutil.which("wl-copy"):
        yield ["wl-copy"]
    elif there.get("DISPLAY"):
        yield from (
            command
            for command in (["xclip", "-selection", "clipboard"], ["xsel", "--clipboard"])
            if shutil.which(command[0])
        )
