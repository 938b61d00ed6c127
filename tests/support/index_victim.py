"""A writer that writes until it is killed, for the tests of what a kill leaves behind.

Document n has chunks that all name n and the version, so that a half-written one can be told
from a whole. Victims are forked from a server that has imported everything but started no
thread, so that a kill can come at any instant of the writing and hundreds of them are cheap.
"""

import time

from index_samples import document, entry, open_writer, parts

from rag.index import writer as writing
from rag.index.home.chroma import chromadb_module
from state.errors import StoreBusyError

CHUNKS = 6
DOCUMENTS = 12

chromadb_module()


def texts(number, version):
    return [f"Item {number} in version {version}, piece {n} of it.\n\n" for n in range(CHUNKS)]


def write_until_killed(home, first, finished):
    """Sends the version just finished into the connection `finished`, again and again."""
    finished.send(True)
    # Small groups, so that every kind of step happens all the time.
    writing.GROUP_CHUNKS = 15  # type: ignore[attr-defined]
    version, numbered = first, [(f"doc{number}", number) for number in range(DOCUMENTS)]
    while True:
        with open_writer(home, "default") as writer:
            for name, number in [*numbered, (f"only{version}", 99)]:
                writer.put_all([(document(name), parts(texts(number, version)))])
            writer.remove([f"only{version - 1}"])
            finished.send(version)
        version += 1


def write_five(store, name, told):
    """Five documents, each by a writer of its own; tells which collection it was."""
    told.send(True)
    left = [f"{name}-{number}" for number in range(5)]
    while left:
        try:
            with store.open_writer("default") as writer:
                writer.put_all([entry(left[0], f"Text of {left[0]}.")])
                told.send(writer.row.uid)
            left.pop(0)
        except StoreBusyError:
            time.sleep(0.02)
