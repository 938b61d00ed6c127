"""The person's streams: answers and data to stdout, everything else to stderr.

Text that came from documents, questions, models or files passes through `clean`, so that
no control character of theirs can reach the terminal as an escape.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from state.errors import StorageError

if TYPE_CHECKING:
    from rich.console import Console

_USUAL_COLUMNS = 80
_KEPT = frozenset("\n\t\u200c\u200d")  # joiners: they part and join letters, and signs of emoji
_UNSEEN = frozenset("\r\u00ad\u200b\u2060\ufeff")
_LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def clean(text: str) -> str:
    """`text` with control, format-override and surrogate characters made visible or dropped."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _KEPT else "" if c in _UNSEEN else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )


def one_line(name: str) -> str:
    """A file's or thread's name with line ends made visible, so that none feigns a line."""
    return "".join("\N{REPLACEMENT CHARACTER}" if c in _LINE_ENDS else c for c in name)


@dataclass(frozen=True, slots=True)
class Terminal:
    """Both streams of one command; `quiet` silences notices, never errors or data."""

    quiet: bool = False

    @property
    def out_is_tty(self) -> bool:
        return sys.stdout.isatty()

    @property
    def err_is_tty(self) -> bool:
        return sys.stderr.isatty()

    @property
    def width(self) -> int | None:
        """Columns of the terminal that stdout is; None where it is none."""
        return _columns(sys.stdout)

    def out(self, text: str) -> None:
        """Write a line of the answer or of data to stdout."""
        _to_stdout(_encodable(clean(text), sys.stdout.encoding))

    def wrapped(self, text: str) -> None:
        """Write running text to stdout: wrapped at words on a terminal, as it is elsewhere."""
        for line in text.splitlines() or [""]:
            for row in _rows(clean(line), sys.stdout):
                self.out(row)

    def beside(self, gutter: str, text: str) -> None:
        """Write text beside a gutter; on a terminal the lines it is wrapped to keep clear of it."""
        for row in _rows(clean(gutter + text), sys.stdout, len(gutter)):
            self.out(row)

    def notice(self, text: str) -> None:
        """Write one line about the run to stderr, unless quiet."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Write one line to stderr, quiet or not; wrapped at words on a terminal."""
        line = " ".join(clean(text).split("\n"))
        with suppress(OSError):  # a notice that nobody can read costs nobody the answer
            # What rich puts before the stream, to draw below what is written, knows nothing of it.
            stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
            for row in _rows(line, stream):
                sys.stderr.write(_encodable(row, stream.encoding) + "\n")
            sys.stderr.flush()

    def json(self, value: object) -> None:
        """Write one JSON object on one line to stdout."""
        import json

        line = json.dumps(value, ensure_ascii=not _utf8(sys.stdout.encoding))
        if not line.isascii() and any("\ud800" <= c <= "\udfff" for c in line):
            line = json.dumps(value)  # a lone surrogate, as in a file name that is not UTF-8
        _to_stdout(line)

    def console(self) -> Console:
        """A rich console on stderr; colour only on a terminal, NO_COLOR obeyed."""
        from rich.console import Console

        return Console(stderr=True, highlight=False, markup=False)

    def out_console(self) -> Console:
        """A rich console on stdout, for what a person reads there."""
        from rich.console import Console

        return Console(highlight=False, markup=False, emoji=False)


def prepare_streams() -> None:
    """Give streams that the caller closed (`>&-`) a stand-in, before the first file that is
    opened gets the number of one and is written over. Nobody reads notices there; an answer
    that is written there fails, as a StorageError.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    file = os.fdopen(sys.stdout.fileno(), "wb", closefd=False)
    sys.stdout = _NamingStdout(file, sys.stdout.encoding, sys.stdout.errors)


class _NamingStdout(TextIOWrapper):
    """Standard output; what fails there is told of it, but for a reader that has left."""

    def write(self, text: str) -> int:
        with _stdout_failures():
            return super().write(text)

    def flush(self) -> None:
        with _stdout_failures():
            super().flush()


@contextmanager
def _stdout_failures() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        what = "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)
        raise StorageError(f"Standard output cannot be written: {what}.") from None


def _columns(stream: TextIO) -> int | None:
    """Of the terminal that the stream is; None where it is none."""
    if not stream.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


def _rows(line: str, stream: TextIO, hang: int | None = None) -> list[str]:
    """The line as the stream shows it: on a terminal no word is broken that fits a line."""
    columns = _columns(stream)
    if columns is None:
        return [line]
    from cli.word_wrap import plain_rows

    return plain_rows(line, columns, hang)


def _to_stdout(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _utf8(encoding: str | None) -> bool:
    return (encoding or "").lower().replace("-", "") == "utf8"


def _encodable(text: str, encoding: str | None) -> str:
    if _utf8(encoding):
        return text.encode("utf-8", "replace").decode("utf-8")
    return text.encode(encoding or "ascii", "replace").decode(encoding or "ascii")
