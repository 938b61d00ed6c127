"""A document as a stream of bounded parts, so that its size is never held in memory.

The text of a document is the concatenation of its parts, exactly.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from rag.documents.cleaning import clean, one_line
from rag.documents.formats import AS_IT_STANDS
from rag.documents.limits import Deadline, Limits, TimeUpError
from state.closing import Closing
from state.errors import DocumentError

PART_CHARS = 1 << 20
_HELD_PARTS = 16


@dataclass(frozen=True, slots=True)
class Part:
    """Whole lines of Markdown or plain text of one page, at most PART_CHARS characters.

    Every part but the last ends with a line feed, except inside a line that is itself longer
    than a part: that is cut after a space where it has one. `page` is None without pages.
    `anchor` is the place as a person says it ("slide 3"): empty where the headings in the text tell
    it, None where the lines are the file's own.
    """

    text: str
    page: int | None = None
    anchor: str | None = None


@dataclass(slots=True)
class Reading:
    """One file being read: what a reader is given, and where it leaves title and warnings.

    `recognized`: of each page that was read off a picture (0 where there are no pages), how sure
    the recognizer was, in percent. `waiting`: how many pages the extra `ocr` would have read.
    """

    path: Path
    format: str
    limits: Limits
    deadline: Deadline
    title: str | None = None
    warnings: list[str] = field(default_factory=list)
    recognized: dict[int, int] = field(default_factory=dict)
    waiting: int = 0

    def warn(self, warning: str) -> None:
        """Notes what could not be read, in words; a repetition is noted once."""
        if warning not in self.warnings:
            self.warnings.append(warning)


Reader = Callable[[Reading], Iterator[Part]]
"""Yields pieces of any length in reading order; the stream cleans and bounds them. The title
is set before the first piece where it can be."""


class DocumentStream(Closing):
    """One opened document. Iterate `parts` once.

    Usable as a context manager; `close` releases the file when not all parts are wanted.

    Attributes:
        reading: what the reader left: its warnings, what was recognized and what waits are
            complete once the parts are.
        format: the reader's name, such as "markdown" or "pdf".
        title: the document's own title, known once opened.
        parts: the text. Iterating raises DocumentError when the file turns out damaged, too
            large or too slow; what was read before it must then be dropped.
    """

    def __init__(self, reading: Reading, pieces: Iterator[Part]) -> None:
        self.format = reading.format
        self.reading = reading
        self._pieces = pieces
        # The first words decide: a file that is encrypted, damaged or empty fails here.
        parts = _not_empty(_bounded(_guarded(pieces, reading)), reading)
        held: list[Part] = []
        for part in parts:
            held.append(part)
            if not part.text.isspace() or len(held) == _HELD_PARTS:
                break
        self.title = one_line(reading.title or "", 300) or None
        self.parts: Iterator[Part] = chain(held, parts)

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()


@contextmanager
def parsing(what: str, deadline: Deadline) -> Iterator[None]:
    """Runs foreign code on a file that is `what` (a format's name), as one step of `deadline`;
    whatever it raises leaves as a DocumentError with a short, true reason.
    """
    try:
        with deadline.running():
            yield
    except (DocumentError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except TimeUpError:
        raise DocumentError("takes too long to read") from None
    except RecursionError:
        raise DocumentError("nested too deeply") from None
    except MemoryError:
        raise DocumentError("needs more memory than there is") from None
    except BaseException as error:
        # Parsers raise anything at all on damaged input; what panics in Rust is no Exception, and
        # an OSError without a number is none of the system's.
        detail = one_line(str(error)) or type(error).__name__
        if isinstance(error, OSError) and error.errno == errno.EINVAL:
            detail = "it points outside itself"
        elif isinstance(error, OSError) and error.errno is not None:
            raise DocumentError(f"cannot be read: {error.strerror or detail}") from error
        raise DocumentError(f"damaged {what} file: {detail}") from error


def _guarded(pieces: Iterator[Part], reading: Reading) -> Iterator[Part]:
    """The reader's pieces; whatever is raised inside it leaves as a DocumentError."""
    while True:
        piece: Part | None = None
        with parsing(reading.format, reading.deadline):
            piece = next(pieces, None)
        if piece is None:
            return
        if reading.format not in AS_IT_STANDS and piece.anchor is None:
            piece = replace(piece, anchor="" if piece.page is None else f"p. {piece.page}")
        yield piece


def _bounded(pieces: Iterator[Part]) -> Iterator[Part]:
    """Cleaned text in parts as `Part` promises them."""
    pending = ""
    place: tuple[int | None, str | None] = None, None
    for piece in pieces:
        if pending and (piece.page, piece.anchor) != place:
            yield Part(_closed_line(pending), *place)
            pending = ""
        place = piece.page, piece.anchor
        pending += clean(piece.text)
        while len(pending) >= PART_CHARS:
            cut = _cut(pending)
            yield Part(pending[:cut], *place)
            pending = pending[cut:]
        if piece.page is not None and pending:
            yield Part(_closed_line(pending), *place)
            pending = ""
    if pending:
        yield Part(pending, *place)


def _cut(text: str) -> int:
    for end in ("\n", " "):
        cut = text.rfind(end, 0, PART_CHARS) + 1
        if cut:
            return cut
    return PART_CHARS


def _closed_line(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _not_empty(parts: Iterator[Part], reading: Reading) -> Iterator[Part]:
    seen = False
    for part in parts:
        seen = seen or not part.text.isspace()
        yield part
    if not seen:
        why = reading.warnings[0] if reading.warnings else "it holds no text"
        raise DocumentError(f"empty: {why}", waiting=reading.waiting)
