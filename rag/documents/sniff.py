"""Which format a file is in: what its name says, unless its first bytes say otherwise."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from rag.documents.encoding import is_text
from rag.documents.formats import COMPOUND, FORMATS, PACKED, PICTURE, SUFFIXES, UNSUPPORTED, Format
from state.errors import DocumentError, UnsupportedFormatError

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAGIC = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
)
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")
_MEMBERS = (
    ("word/document.xml", "docx"),
    ("ppt/presentation.xml", "pptx"),
    ("xl/workbook.xml", "xlsx"),
    ("xl/workbook.bin", "xlsx"),
    ("META-INF/container.xml", "epub"),
    ("content.xml", "odt"),
)
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_BINARY = PACKED | COMPOUND | {"pdf", PICTURE, "tiff"}


def choose(path: Path, head: bytes) -> Format:
    """The format of a file that begins with `head`.

    Raises:
        DocumentError: the content is locked, or is something that no reader reads
            (`UnsupportedFormatError`).
    """
    named = SUFFIXES.get(path.suffix.lower())
    shown = _by_first_bytes(head, named)
    if shown is not None:
        return shown
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_format(path, named)
    if head.startswith(_OLE):
        return _compound_format(path, named)
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            raise UnsupportedFormatError(f"{kind}, whatever its name says")
    if not is_text(head):
        return _binary_format(path, named)
    return _text_format(path, head, named)


def _by_first_bytes(head: bytes, named: Format | None) -> Format | None:
    if b"%PDF-" in head[:1024]:
        return FORMATS["pdf"]
    if head.lstrip().startswith(b"{\\rtf"):
        return FORMATS["rtf"]
    is_named = named is not None and named.module == PICTURE
    if head.startswith(_PICTURES):
        return named if is_named else FORMATS[PICTURE]
    return named if is_named and head.startswith(b"BM") else None


def _zip_format(path: Path, named: Format | None) -> Format:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        if named is not None and named.name in PACKED:
            raise DocumentError(f"damaged {named.name} file: its ZIP directory is broken") from None
        raise DocumentError("damaged ZIP archive") from None
    for member, name in _MEMBERS:
        if member in names:
            return FORMATS[name]
    if named is not None and named.name in PACKED:
        raise DocumentError(f"damaged {named.name} file: its main part is missing")
    raise UnsupportedFormatError("an archive: unpack it to have its files read")


def _compound_format(path: Path, named: Format | None) -> Format:
    from rag.documents.ole import kind

    found = kind(path)
    if not found and named is not None and named.name in COMPOUND:
        raise DocumentError(f"damaged {named.name} file: its main stream is missing")
    if not found:
        raise UnsupportedFormatError("no reader for this kind of compound file")
    return FORMATS[found]


def _binary_format(path: Path, named: Format | None) -> Format:
    _check_supported(path)
    if named is None:
        raise UnsupportedFormatError(f"no reader for {path.suffix.lower() or 'binary'} files")
    if named.name in PACKED:
        raise DocumentError(f"damaged {named.name} file: it is no ZIP archive")
    if named.name in COMPOUND:
        raise DocumentError(f"damaged {named.name} file: it is no compound file")
    return named


def _text_format(path: Path, head: bytes, named: Format | None) -> Format:
    if named is not None and (
        named.name not in _BINARY or (named.name == "pdf" and b" obj" in head)
    ):
        return named
    if path.suffix.lower() == ".svg":  # XML, and yet no text
        _check_supported(path)
    plain = head.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf")
    if _HTML.match(plain):
        return FORMATS["html"]
    if plain.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<?xml"):
        return FORMATS["xml"]
    if named is not None and named.name in {"xls", "xlsx"}:
        return FORMATS["csv"]
    _check_supported(path)
    return FORMATS["text"]


def _check_supported(path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix in UNSUPPORTED:
        raise UnsupportedFormatError(UNSUPPORTED[suffix])
