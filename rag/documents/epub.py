"""EPUB books: the chapters in the order of the spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from rag.documents.archive import Archive
from rag.documents.html import page_part
from rag.documents.stream import Part, Reading
from rag.documents.tree_walk import Element, attribute
from state.errors import DocumentError

_CONTAINER = "META-INF/container.xml"


def read(reading: Reading) -> Iterator[Part]:
    """One piece a chapter. A damaged chapter is a warning, not the end of the book."""
    with Archive(reading) as archive:
        named = archive.root(_CONTAINER).find("{*}rootfiles/{*}rootfile")
        path = attribute(named, "full-path")
        if not path:
            raise DocumentError("damaged epub file: it names no content")
        package = archive.root(path)
        reading.title = package.findtext("{*}metadata/{*}title")
        chapters = _chapters(package, posixpath.dirname(path))
        failed = 0
        for chapter in chapters[: reading.limits.pages]:
            try:
                _, part = page_part(archive.member(chapter), reading, after="\n")
            except DocumentError as error:
                failed += 1
                reading.warn(f"chapter {posixpath.basename(chapter)}: {error.message}")
                continue
            if part.text.strip():
                yield part
        if chapters and failed == len(chapters):
            raise DocumentError("no chapter can be read: encrypted (DRM) or damaged")


def _chapters(package: Element, folder: str) -> list[str]:
    manifest, spine = package.find("{*}manifest"), package.find("{*}spine")
    if manifest is None or spine is None:
        raise DocumentError("damaged epub file: it has no table of parts")
    files: dict[str, str] = {}
    for item in manifest.iterchildren("{*}item"):
        kind = item.get("media-type") or ""
        if "html" in kind and "nav" not in (item.get("properties") or "").split():
            path = posixpath.join(folder, unquote(item.get("href") or ""))
            files[item.get("id") or ""] = posixpath.normpath(path)
    keys = (item.get("idref") for item in spine.iterchildren("{*}itemref"))
    return [files[key] for key in keys if key in files]
