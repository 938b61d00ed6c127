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
from rag.documents.formats import ARCHIVE, FORMATS, SUFFIXES, UNSUPPORTED, ZIP_FORMATS, Format
from rag.documents.limits import MIB, Limits, check_size
from rag.documents.stream import Reader, Reading, clean_parts, document_errors
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
        UnsupportedFormatError: there is no reader for the file.
        DocumentError: it is empty, encrypted, damaged, too large or not a file; `message`
            is the reason. `parts` raises the same.
    """
    head, size = _head(path)
    with document_errors(path.suffix.lower().lstrip(".") or "unnamed"):
        chosen = detect_format(path, head)
    check_size(size, getattr(limits, f"{chosen.held}_bytes"))
    if not head:
        raise DocumentError("empty: 0 bytes")
    reading = Reading(path, chosen.name, limits, on_step)
    reader: Reader = import_module(f"rag.documents.{chosen.module}").read
    with closing(reader(reading)) as pieces:
        reading.parts = clean_parts(pieces, reading)
        yield reading


def _head(path: Path) -> tuple[bytes, int]:
    try:
        status = path.stat()
        # A pipe or a device would be read for ever.
        if not stat.S_ISREG(status.st_mode):
            raise DocumentError("not a regular file")
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES), status.st_size
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}") from error


def detect_format(path: Path, head: bytes) -> Format:
    """The format of a file that begins with `head`.

    Raises:
        DocumentError: the content is locked, or is something that no reader reads
            (`UnsupportedFormatError`).
    """
    named = _named(path)
    if b"%PDF-" in head[:1024]:
        return FORMATS["pdf"]
    if named is not None and named.module == "picture" and head.startswith(_PICTURES):
        return named
    if head.startswith(_ZIP):
        return _zip_format(path, named)
    if head.startswith(_OLE):
        return _compound_format(path, named)
    return _text_format(path, head, named) if is_text(head) else _binary_format(path, named)


def _named(path: Path) -> Format | None:
    """The format of the last known extension: for a template (a.md.erb) and for a page's source
    (a.rst.txt) that is the inner one.
    """
    suffixes = [suffix.lower() for suffix in reversed(path.suffixes)]
    if suffixes and suffixes[0] in UNSUPPORTED:
        return None
    if suffixes[:2] in ([".txt", ".rst"], [".txt", ".md"]):
        del suffixes[0]
    return next((SUFFIXES[suffix] for suffix in suffixes if suffix in SUFFIXES), None)


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
    _check_supported(path)
    if named is not None and named.name in {"xls", "xlsx"}:
        return FORMATS["xls"]
    raise UnsupportedFormatError("an old Office file or message: save it as .docx, .pptx or .eml")


def _binary_format(path: Path, named: Format | None) -> Format:
    _check_supported(path)
    if named is None:
        raise UnsupportedFormatError(f"no reader for {path.suffix.lower() or 'binary'} files")
    if named.name in ZIP_FORMATS or named.name == "xls":
        raise DocumentError(f"damaged {named.name} file: it is something else")
    return named


def _text_format(path: Path, head: bytes, named: Format | None) -> Format:
    name = None if named is None else named.name
    of_a_site = _OF_A_SITE.fullmatch(path.name)
    if of_a_site and max(map(len, head.splitlines()), default=0) > _HEAD_BYTES // 2:
        raise UnsupportedFormatError("code without lines: it is for programs")
    if named is not None and (name not in _BINARY or (name == "pdf" and b" obj" in head)):
        return named
    plain = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf \r\n\t")
    if _HTML.match(plain):
        return FORMATS["html"]
    if name in {"xls", "xlsx"} and not plain.startswith(b"<?xml"):
        return FORMATS["csv"]
    _check_supported(path)
    return FORMATS["text"]


def _check_supported(path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix in UNSUPPORTED:
        raise UnsupportedFormatError(UNSUPPORTED[suffix])
