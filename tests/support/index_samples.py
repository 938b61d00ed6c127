"""Small documents for the tests of the index, cut into chunks by paragraph."""

from collections.abc import Iterator

from rag.doctor.indexes import check_collections
from rag.embed.builtin import builtin_embedder
from rag.index.home.store import HomeStore
from rag.index.protocol import DocumentPart, IndexedDocument
from state.documents import Chunk

EMBEDDER = builtin_embedder()


def open_collection(home, name, *, chroma_url=None, **options):
    return HomeStore(home, chroma_url).open_collection(name, **options)


def open_writer(home, name, chroma_url=None, **options):
    return HomeStore(home, chroma_url).open_writer(name, **options)


def document(source: str, **fields) -> IndexedDocument:
    values = {"path": f"/files/{source}", "root": "/files"}
    return IndexedDocument(source, **{**values, "content_hash": "h", **fields})


def chunks_of(text: str, start: int = 0) -> list[Chunk]:
    """A chunk a paragraph; `start` is where `text` begins in its document."""
    found = []
    for paragraph in text.split("\n\n"):
        end = start + len(paragraph)
        if paragraph.strip():
            found.append(Chunk(None, 1, 1, start, end, paragraph, "Heading"))
        start = end + 2
    return found


def part(text: str, start: int = 0) -> DocumentPart:
    return DocumentPart(text, tuple(chunks_of(text, start)))


def entry(source: str, text: str, title: str | None = None):
    """A document of one part, as it is put."""
    return document(source, title=title), [part(text)]


def parts(texts: list[str]) -> Iterator[DocumentPart]:
    """One part a text; each text ends in an empty line."""
    start = 0
    for text in texts:
        yield part(text, start)
        start += len(text)


def ill_parts(home) -> list[str]:
    """What `crag doctor` finds wrong with the collections of this home."""
    checks = check_collections(home, EMBEDDER.identity)
    return [each.part for each in checks if not each.ok]
