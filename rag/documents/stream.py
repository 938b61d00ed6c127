"""A document as a stream of parts, and what one may cost.

The text of a document is the concatenation of its parts, exactly.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rag.documents.cleaning import clean
from rag.documents.formats import TEXT_FORMATS
from state.errors import DocumentError, UnsupportedFormatError
from state.wording import shorten

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost; its time is bounded by the process that it is read in
    (`rag/ingest/pool.py`). What lies beyond the last two is left out, with a warning.
    """

    text_bytes: int = 256 * MIB  # of a file of text, logs, rows of a table
    parsed_bytes: int = 512 * MIB  # of one that a parser keeps (PDF, archives)
    whole_bytes: int = 128 * MIB  # of one that is read whole (mail, notebooks)
    tree_bytes: int = 32 * MIB  # of markup (HTML, parts of archives): a tree takes twenty times it
    expanded_bytes: int = 512 * MIB  # of all members of an archive together
    expansion_ratio: int = 250  # expanded to packed size, looked at beyond 32 MiB expanded
    members: int = 20_000  # of an archive
    pixels: int = 100_000_000  # of a picture
    pages: int = 20_000  # pages, slides or chapters
    cells: int = 5_000_000  # of the tables of a workbook


def check_size(size: int, limit: int) -> None:
    """Raises DocumentError when `size` bytes are more than `limit`."""
    if size > limit:
        raise DocumentError(
            f"too large: {size / MIB:,.0f} MiB, at most {limit / MIB:,.0f} MiB are read"
        )


@dataclass(frozen=True, slots=True)
class Part:
    """Whole lines of Markdown or plain text of one page; only a file's own last line may lack its
    line feed.

    `page` is None without pages. `anchor` is the place as a person says it ("slide 3"): empty where
    the headings in the text tell it, None where the lines are the file's own.
    """

    text: str
    page: int | None = None
    anchor: str | None = None


@dataclass(slots=True)
class Reading:
    """One file being read: what a reader is given, and where it leaves title and warnings.

    `step` is told of progress, with or without text. `parts` is the text, to be iterated once:
    it raises DocumentError where the file turns out damaged or too large; what was read before it
    must then be dropped. Title and warnings are complete with its end.
    """

    path: Path
    format: str
    limits: Limits
    step: Callable[[], None] = lambda: None
    title: str | None = None
    warnings: list[str] = field(default_factory=list)
    parts: Iterator[Part] = field(default_factory=lambda: iter(()))

    def warn(self, warning: str) -> None:
        """Notes what could not be read, in words; a repetition is noted once."""
        if warning not in self.warnings:
            self.warnings.append(warning)


Reader = Callable[[Reading], Generator[Part, None, None]]
"""Yields the text in reading order."""


@contextmanager
def document_errors(what: str) -> Iterator[None]:
    """Runs foreign code on a file that is `what` (a format's name); whatever it raises leaves as a
    DocumentError with a short, true reason.
    """
    try:
        yield
    except (DocumentError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except RecursionError:
        raise DocumentError("nested too deeply") from None
    except MemoryError:
        raise DocumentError("needs more memory than there is") from None
    except BaseException as error:
        # Parsers raise anything at all on damaged input; what panics in Rust is no Exception, and
        # an OSError without a number is none of the system's.
        detail = shorten(clean(str(error)), 120) or type(error).__name__
        if isinstance(error, OSError) and error.errno == errno.EINVAL:
            detail = "it points outside itself"
        elif isinstance(error, OSError) and error.errno is not None:
            raise DocumentError(f"cannot be read: {error.strerror or detail}") from error
        raise DocumentError(f"damaged {what} file: {detail}") from error


def clean_parts(pieces: Iterator[Part], reading: Reading) -> Iterator[Part]:
    """The parts that a reader yields, made to keep what `Part` and `Reading.parts` promise."""
    is_empty = True
    with document_errors(reading.format):
        for piece in pieces:
            text, anchor = clean(piece.text), piece.anchor
            if anchor is None and reading.format not in TEXT_FORMATS:
                anchor = "" if piece.page is None else f"p. {piece.page}"
            if text and anchor is not None and not text.endswith("\n"):
                text += "\n"
            is_empty = is_empty and (not text or text.isspace())
            if text:
                yield Part(text, piece.page, anchor)
    reading.title = shorten(clean(reading.title or ""), 300) or None
    if is_empty:
        if not reading.warnings:
            raise UnsupportedFormatError("empty: it holds no text")
        raise DocumentError(f"empty: {reading.warnings[0]}")
