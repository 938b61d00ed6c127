"""The person's streams: answers and data go to stdout, everything else to stderr.

Text that came from documents, questions, models or files passes through `clean`, so that none of
its control characters reaches the terminal as an escape.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from state.errors import CragError, UsageError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

ROOM = 24
"""The columns of a terminal that a table's last cells have at least, where they need so many."""
_GAP = "  "
_LEAD = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)]|(?:\[\d+\])+)\s+|\d{1,3}  )?")
_STEERING = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Matches what a terminal may obey or no encoding holds, of what JSON need not escape."""
_KEPT = frozenset("\n\t\u200c\u200d")  # joiners: they part and join letters, and signs of emoji
_UNSEEN = frozenset("\r\u00ad\u200b\u2060\ufeff")


def clean(text: str) -> str:
    """`text` with control, format-override and surrogate characters dropped or made visible, and
    any kind of space as a plain one.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _KEPT else _replacement(c) for c in text)


def _replacement(character: str) -> str:
    if character in _UNSEEN:
        return ""
    return " " if character > "\x9f" and character.isspace() else "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Terminal:
    """The streams of one command; `quiet` silences notices, never errors or data."""

    quiet: bool = False

    @property
    def out_is_tty(self) -> bool:
        return sys.stdout.isatty()

    @property
    def err_is_tty(self) -> bool:
        return sys.stderr.isatty()

    def out(self, text: str) -> None:
        """Write a line of the answer or of data to stdout, never wrapped."""
        _write(sys.stdout, clean(text))

    def wrapped(self, text: str, hang: int = 0) -> None:
        """Write running text to stdout. On a terminal it is wrapped at words, and the further rows
        of a line begin `hang` columns from the left.
        """
        for line in text.splitlines() or [""]:
            _write(sys.stdout, clean(line), hang)

    def table(self, rows: Sequence[Mapping[str, str]], *spare: str, none: str) -> None:
        """Write rows of named cells to stdout. On a terminal the cells `spare`, which matter least,
        are left out one by one until the last have ROOM, and what is longer ends in "…". Without a
        row, the notice `none` says so.
        """
        if not rows:
            self.notice(none)
            return
        from rich.cells import cell_len, set_cell_size

        shown = [{name: clean(cell) for name, cell in row.items()} for row in rows]
        widths = {name: max(cell_len(row[name]) for row in shown) for name in shown[0]}
        room = self.console(stderr=False).width if self.out_is_tty else sys.maxsize
        for name in spare:
            *before, last = widths.values()
            if sum(before) + len(_GAP) * len(before) + min(last, ROOM) > room:
                del widths[name]
        for row in shown:
            cells = (set_cell_size(row[name], width) for name, width in widths.items())
            line = _GAP.join(cells).rstrip()
            fits = cell_len(line) <= room
            _write(sys.stdout, line if fits else set_cell_size(line, room - 1) + "…")

    def notice(self, text: str) -> None:
        """Write one line about the run to stderr, unless quiet."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Write one line to stderr, quiet or not; wrapped at words on a terminal."""
        with suppress(OSError):  # an unreadable notice must not cost the answer
            _write(sys.stderr, clean(text).replace("\n", " "), 0)

    def json(self, value: object) -> None:
        """Write one JSON object on one line to stdout; moments are told to the second. What an
        encoding lacks, and what a terminal may obey, is escaped.
        """
        lacks = not sys.stdout.encoding.lower().startswith("utf")
        line = json.dumps(
            value, ensure_ascii=lacks, default=lambda at: at.isoformat(timespec="seconds")
        )
        _write(sys.stdout, _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", line))

    def confirm(self, question: str, *, yes: bool) -> None:
        """Ask before something is deleted, unless `yes`. Raises CragError at a no, UsageError if
        nobody can be asked, and typer.Abort at Ctrl-C.
        """
        if yes:
            return
        if not sys.stdin.isatty():
            raise UsageError("This asks first, and nobody is there to answer.", "Add --yes.")
        import typer

        if not typer.confirm(clean(question), err=True):
            raise CragError("Nothing was changed.")

    def console(self, *, stderr: bool = True) -> Console:
        """Rich's console without markup; it has colour only on a terminal and obeys NO_COLOR."""
        from rich.console import Console

        return Console(stderr=stderr, highlight=False, markup=False, emoji=False)

    @contextmanager
    def progress(self) -> Iterator[Callable[[str, int, int | None], None]]:
        """A function that shows a step as a bar: its name, how much is done, and of how much.
        Without a terminal it shows nothing.
        """
        if self.quiet or not self.err_is_tty:
            yield lambda _what, _done, _total: None
            return
        from rich import progress as rich

        columns = "{task.description}", rich.BarColumn(), rich.MofNCompleteColumn()
        bar = rich.Progress(
            *columns, rich.TimeRemainingColumn(), console=self.console(), transient=True
        )
        with bar:
            task = bar.add_task("", total=None, visible=False)
            # Of another step the time is told anew.
            yield lambda what, done, total: (bar.reset if done <= 1 else bar.update)(
                task, description=what, completed=done, total=total, visible=True
            )


def prepare_streams() -> None:
    """Replace streams that the caller closed (`>&-`) before the first opened file gets the number
    of one and is written over. Notices are lost there; an answer that is written there fails. On
    all streams, what an encoding lacks or cannot read is replaced and is no failure.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR)
            setattr(sys, name, os.fdopen(opened, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def rows(line: Text, console: Console, hang: int = 0) -> list[Text]:
    """The line divided into rows before the words that do not fit on the terminal; elsewhere it is
    whole. No word is broken, as Rich would by itself: an address is copied as it was written.
    Further rows are indented by `hang` columns, by default those of the line's list mark, unless
    that is more than half of all.
    """
    if not console.is_terminal:
        return [line]
    mark = _LEAD.match(line.plain)
    hang = hang or (mark.end() if mark else 0)
    if 2 * hang > console.width:
        hang = 0
    lead, text = line.divide([hang]) if hang else (line.blank_copy(), line)
    text.overflow = "ignore"
    found = []
    for part in text.wrap(console, console.width - hang):
        row = lead + part
        row.rstrip()
        found.append(row)
        lead = line.blank_copy(" " * hang)
    return found


def _write(stream: TextIO, line: str, hang: int | None = None) -> None:
    """Write the line as it is, or, with `hang` and on a terminal, wrapped."""
    shown = [line]
    if hang is not None and stream.isatty():
        from rich.console import Console
        from rich.text import Text

        # Rich's stand-in for the stream, by which it draws below the output, knows no width.
        console = Console(file=getattr(stream, "rich_proxied_file", stream))
        shown = [row.plain for row in rows(Text(line), console, hang)]
    stream.writelines(row + "\n" for row in shown)
    stream.flush()
