"""The short way to a plan, where nothing differs, finds what the long way finds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.index.protocol import FileStat, IndexedDocument, UnreadFile
from rag.ingest.file_text import READING
from rag.ingest.plan import make_plan, unchanged_plan
from rag.ingest.roots import Root
from rag.ingest.walk import FileProblem, Listed

ROOTS = [Root("/docs", "docs", is_file=False)]
NOW, BEFORE = FileStat(5, 20, 21), FileStat(5, 10, 11)
PLACES = ["/docs/one", "/docs/two", "/docs/shut/one", "/docs/three", "/other/one", "/docsish/one"]


@given(
    indexed=st.dictionaries(st.sampled_from(PLACES), st.sampled_from([NOW, NOW, NOW, BEFORE])),
    unread=st.dictionaries(st.sampled_from(PLACES), st.sampled_from([NOW, NOW, NOW, BEFORE])),
    differs=st.booleans(),
    here=st.sets(st.sampled_from(PLACES[:4])),
    shut=st.booleans(),
)
@settings(max_examples=400)
def test_the_short_way_finds_what_the_long_way_finds(indexed, unread, differs, here, shut):
    unread = {path: stat for path, stat in unread.items() if path not in indexed}
    known = {path for path in (*indexed, *unread) if path.startswith("/docs/")}
    found = Listed(dict.fromkeys(here if differs else known, NOW))
    if shut:
        found.unlisted.append(FileProblem("/docs/shut/", "permission denied"))
        found.files.pop("/docs/shut/one", None)
    marks = [
        IndexedDocument(path, path, path.rsplit("/", 1)[0], READING + path, stat)
        for path, stat in indexed.items()
    ]
    given_up = [UnreadFile(path, stat, "why", failed=True) for path, stat in unread.items()]
    short = unchanged_plan(ROOTS, found, indexed, given_up)
    if short is None:
        inside = {stat for path, stat in {**indexed, **unread}.items() if path in known}
        assert differs or shut or BEFORE in inside
        return
    full = make_plan(ROOTS, found, marks, given_up)
    full.unread.sort(key=given_up.index)
    assert short == full
