"""The short way to a plan, where no file is new, finds what the long way finds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.index.protocol import FileMark, FileStat, UnreadFile
from rag.ingest.file_text import READING
from rag.ingest.plan import has_new_files, make_plan, same_paths
from rag.ingest.roots import Root, root_of
from rag.ingest.walk import FileProblem, Found

ROOTS = [Root("/docs", "docs", is_file=False)]
NOW, BEFORE = FileStat(5, 20, 21), FileStat(5, 10, 11)
PLACES = ["/docs/one", "/docs/two", "/docs/shut/one", "/docs/three", "/other/one", "/docsish/one"]


@given(
    indexed=st.dictionaries(st.sampled_from(PLACES), st.sampled_from([NOW, BEFORE])),
    unread=st.dictionaries(st.sampled_from(PLACES), st.sampled_from([NOW, BEFORE])),
    here=st.sets(st.sampled_from(PLACES[:4])),
    shut=st.booleans(),
)
@settings(max_examples=400)
def test_the_short_way_finds_what_the_long_way_finds(indexed, unread, here, shut):
    found = Found(dict.fromkeys(here, NOW))
    if shut:
        found.unlisted.append(FileProblem("/docs/shut/", "permission denied"))
        found.files.pop("/docs/shut/one", None)
    marks = [
        FileMark(path, path.rsplit("/", 1)[0], path, stat, READING + path)
        for path, stat in indexed.items()
    ]
    given_up = [UnreadFile(path, stat, "why", failed=True) for path, stat in unread.items()]
    times = {path: tuple(stat) for path, stat in indexed.items()}
    full = make_plan(ROOTS, found, marks, given_up)
    if has_new_files(found, times, given_up):
        assert any(task.path not in indexed for task in full.tasks)
        return
    same = same_paths(found, times)
    some = [mark for mark in marks if mark.path not in same and root_of(ROOTS, mark.path)]
    short = make_plan(ROOTS, found, some, given_up, same)
    assert short == full
