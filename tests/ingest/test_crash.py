"""Writers, readers and the server of a shared store killed at random instants: nothing
half-visible, nothing lost, readers work, the next run goes on.
"""

import random
import time
from contextlib import closing
from pathlib import Path

import ingest_child
import psycopg
import pytest
from forked import started
from ingest_runs import Library, counts
from postgres_server import running_postgres
from shared_stores import assert_sound

from state.errors import NoIndexError

WORDS = ["valve", "pump", "rotor", "seal", "bearing", "flange", "gasket", "boiler", "relay"]


class Folder:
    """Files that change; `versions` is every text that a file ever had."""

    def __init__(self, path: Path, dice: random.Random) -> None:
        self.path = path
        self.dice = dice
        self.texts: dict[str, str] = {}
        self.versions: dict[str, set[str]] = {}
        self.count = 0
        path.mkdir()

    def write(self, name: str) -> None:
        self.count += 1
        told = [" ".join(self.dice.choices(WORDS, k=60)) for _ in range(self.dice.randint(1, 16))]
        head, mark = f"# Sheet {self.count}", f"The mark is mark{self.count}x.\n"
        self.put(name, "\n\n".join([head, *told, mark]))

    def put(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)
        self.texts[name] = text
        self.versions.setdefault(name, set()).add(text)

    def change(self) -> None:
        """Change, add, move and remove some files."""
        for name in self.dice.sample(sorted(self.texts), 8):
            self.write(name)
        for _ in range(4):
            self.write(f"new{self.count}.md")
        moved, *removed = self.dice.sample(sorted(self.texts), 4)
        self.put(f"moved{self.count}.md", self.texts[moved])
        for name in (moved, *removed):
            (self.path / name).unlink()
            del self.texts[name]


@pytest.fixture
def server(request):
    if request.param == "home":
        yield None
        return
    with running_postgres(durable=True) as server:
        yield server


def check_promises(library: Library, folder: Folder, kept: set[str]) -> int:
    """No half document, nothing lost, readers work; returns how many files are up to date."""
    try:
        reader = library.open()
    except NoIndexError:
        assert not kept
        return 0
    with closing(reader):
        sources = {each.source: each.characters for each in reader.outline(1_000)}
        assert kept <= sources.keys()
        current = 0
        for source, characters in sources.items():
            text = reader.document_text(source)
            assert text in folder.versions[source]
            assert len(text) == characters
            current += text == folder.texts.get(source)
        if sources:
            mark = reader.document_text(folder.dice.choice(sorted(sources))).split()[-1].rstrip(".")
            found = reader.search(f"The mark is {mark}", 3)
            assert any(f"{mark}." in chunk["text"] for chunk in found)
    assert_sound(library.store)
    return current


def resume(library: Library, folder: Folder, current: int) -> None:
    """The next ingest does only what is left, and ends equal to the folder."""
    report = library.ingest(folder.path)
    assert report.failed == []
    assert report.unchanged == current
    assert library.sources == sorted(folder.texts)
    with closing(library.open()) as reader:
        for source, text in folder.texts.items():
            assert reader.document_text(source) == text
    assert counts(library.ingest(folder.path)) == {"unchanged": len(folder.texts)}
    assert_sound(library.store)


def wait_for_backends(url: str) -> None:
    """What a killed writer had sent, its commit even, the server still does: until it has."""
    busy = (
        "select count(*) from pg_stat_activity where pid <> pg_backend_pid()"
        " and backend_type = 'client backend' and state <> 'idle'"
    )
    deadline = time.monotonic() + 60
    with psycopg.connect(url, autocommit=True) as db:
        while db.execute(busy).fetchone() != (0,):
            assert time.monotonic() < deadline


LONG = [pytest.param(server, 300, marks=pytest.mark.slow) for server in ("home", "postgres")]
KILLS = [("home", 5), ("postgres", 3), *LONG]


@pytest.mark.parametrize(("server", "kills"), KILLS, indirect=["server"])
def test_kills_break_no_promise(server, tmp_path, kills):
    """Writers alone of a home; of a shared store readers and the server, too."""
    dice = random.Random(kills)
    folder = Folder(tmp_path / "docs", dice)
    shared = {"store": server.url, "store_schema": "crag"} if server else {}
    library = Library(tmp_path / "home", **shared)
    for number in range(20):
        folder.write(f"{number}.md")
    kept: set[str] = set()
    longest = 1.0
    for _ in range(kills):
        doomed = [started(ingest_child.read, library.settings)[0]] if server else []
        began = time.monotonic()
        writer, _ = started(ingest_child.run, library.settings, str(folder.path))
        writer.join(dice.uniform(0, longest))
        if server and dice.random() < 0.3:
            server.stop()
            writer.join(60)
            server.start()
        for process in dice.sample([writer, *doomed], 1 + len(doomed)):
            process.kill()
            process.join()
        if server:
            wait_for_backends(server.url)
        assert all(reader.exitcode != 1 for reader in doomed)
        if writer.exitcode == 0 and not server:  # it was done before the blow
            longest = 0.9 * (time.monotonic() - began)
        current = check_promises(library, folder, kept)
        if dice.random() < 0.7:
            resume(library, folder, current)
            kept = set(folder.texts)
            folder.change()
            kept &= set(folder.texts)
        elif not server:  # kill the resumed one, too
            longest += 0.05
