"""Which reader opens which file: one table, by extension, corrected by the file's content."""

from __future__ import annotations

import re
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path

from rag.documents.encoding import is_text
from rag.documents.formats import (
    ARCHIVE,
    CODE_NAMES,
    FORMATS,
    SUFFIXES,
    UNSUPPORTED,
    ZIP_FORMATS,
    Format,
)
from rag.documents.stream import (
    MIB,
    Limits,
    Reader,
    Reading,
    check_size,
    clean_parts,
    document_errors,
)
from state.errors import DocumentError, UnsupportedFormatError

_HEAD_BYTES = 8192
_DEFAULT_LIMITS = Limits()
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_LOOKED_THROUGH = 16 * MIB
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_MEMBERS = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsx",
    "META-INF/container.xml": "epub",
    "content.xml": "odt",
}
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_OF_A_SITE = re.compile(
    r".*\.(?:[cm]?js|css|map)|(?:.*search|lunr)[-_]?(?:index|data|doc).*\.json", re.IGNORECASE
)
"""Files that a site's generator writes on few long lines: scripts, source maps, search indexes."""
_BINARY = ZIP_FORMATS | {"xls", "pdf", "picture", "tiff"}


@contextmanager
def open_document(
    path: Path,
    limits: Limits = _DEFAULT_LIMITS,
    on_step: Callable[[], None] = lambda: None,
) -> Iterator[Reading]:
    """Opens the file, whose `parts` are to be read within the block; `on_step` is called for each
    page and for other progress.

    The reader is chosen by extension, unless the first bytes say otherwise. Run it in a worker
    process that is killed where it stalls or takes too much memory (`rag/ingest/pool.py`).

    Raises:
        UnsupportedFormatError: there is no reader for the file, or it is empty.
        DocumentError: it is encrypted, damaged, too large or not a file; `message` is the reason.
            `parts` raises the same.
    """
    with document_errors(path.suffix.lower().lstrip(".") or "unnamed"):
        status = path.stat()
        # A pipe or a device would be read for ever.
        if not stat.S_ISREG(status.st_mode):
            raise DocumentError("not a regular file")
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        chosen = detect_format(path, head)
    check_size(status.st_size, getattr(limits, f"{chosen.held}_bytes"))
    if not head:
        raise UnsupportedFormatError("empty: 0 bytes")
    reading = Reading(path, chosen.name, limits, on_step)
    reader: Reader = import_module(f"rag.documents.{chosen.module}").read
    with closing(reader(reading)) as pieces:
        reading.parts = clean_parts(pieces, reading)
        yield reading


def detect_format(path: Path, head: bytes) -> Format:
    """The format of a file that begins with `head`.

    Raises:
        DocumentError: the content is locked, or is something that no reader reads
            (`UnsupportedFormatError`).
    """
    # Of a template (a.md.erb) the inner extension is the one that is known.
    suffixes = [suffix.lower() for suffix in reversed(path.suffixes)]
    if suffixes and suffixes[0] in UNSUPPORTED:
        raise UnsupportedFormatError(UNSUPPORTED[suffixes[0]])
    named = next((SUFFIXES[suffix] for suffix in suffixes if suffix in SUFFIXES), None)
    if CODE_NAMES.fullmatch(path.name) or (named is None and CODE_NAMES.fullmatch(path.stem)):
        named = FORMATS["code"]  # also Dockerfile.dev
    if b"%PDF-" in head[:1024]:
        return FORMATS["pdf"]
    if named is not None and named.module == "picture" and head.startswith(_PICTURES):
        return named
    if head.startswith(_ZIP):
        return _zip_format(path, named)
    if head.startswith(_OLE):
        return _compound_format(path, named)
    if is_text(head):
        return _text_format(path, head, named)
    if named is None:
        raise UnsupportedFormatError(f"no reader for {path.suffix.lower() or 'binary'} files")
    if named.name in ZIP_FORMATS | {"xls"}:
        raise DocumentError(f"damaged {named.name} file: it is something else")
    return named


def _zip_format(path: Path, named: Format | None) -> Format:
    with zipfile.ZipFile(path) as archive:
        members = set(archive.namelist())
    for member, name in _MEMBERS.items():
        if member in members:
            return FORMATS[name]
    if named is not None and named.name in ZIP_FORMATS:
        raise DocumentError(f"damaged {named.name} file: its main part is missing")
    raise UnsupportedFormatError(ARCHIVE)


def _compound_format(path: Path, named: Format | None) -> Format:
    """The format of an OLE file: an old workbook is read, a locked new Office file is an error."""
    with path.open("rb") as file:
        if _LOCKED in file.read(_LOOKED_THROUGH):
            raise DocumentError("encrypted Office document: needs a password")
    if named is not None and named.name in {"xls", "xlsx"}:
        return FORMATS["xls"]
    raise UnsupportedFormatError("an old Office file or message: save it as .docx, .pptx or .eml")


def _text_format(path: Path, head: bytes, named: Format | None) -> Format:
    of_a_site = _OF_A_SITE.fullmatch(path.name)
    if of_a_site and max(map(len, head.splitlines()), default=0) > _HEAD_BYTES // 2:
        raise UnsupportedFormatError("code without lines: it is for programs")
    if named is not None and named.name not in _BINARY:
        return named
    plain = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf \r\n\t")
    if _HTML.match(plain):
        return FORMATS["html"]
    if named is not None and named.module == "workbook" and not plain.startswith(b"<?xml"):
        return FORMATS["csv"]
    return FORMATS["text"]
