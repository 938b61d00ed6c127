"""Rich Text Format, with striprtf."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.documents.cleaning import given_title
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_TITLE = re.compile(r"\{\\title ([^{}\\]*)\}")
# Hex dumps of pictures are most of a large file, and slow to strip.
_PICTURE = re.compile(r"(?<=[\s}\\\w])[0-9a-fA-F\r\n]{512,}")
_CELL_END = re.compile(r" *\| *(?=\n)")
_BLANKS = re.compile(r"\n{3,}")


def read(reading: Reading) -> Iterator[Part]:
    """The document's text as one piece; table rows as `a | b`."""
    from striprtf.striprtf import rtf_to_text

    source = reading.path.read_bytes().decode("latin-1")
    title = _TITLE.search(source[:10_000])
    reading.title = given_title(title.group(1)) if title else None
    try:
        text = rtf_to_text(_PICTURE.sub("", source), errors="replace")  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, OverflowError) as error:
        raise DocumentError("damaged RTF: its control words make no sense") from error
    text = _CELL_END.sub("", text.replace("\r\n", "\n")).replace("|", " | ")
    yield Part(_BLANKS.sub("\n\n", text))
