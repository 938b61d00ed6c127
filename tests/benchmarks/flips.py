"""Bits flipped at random places of every file of a home: crashes, silent changes, what mends them.

    python tests/benchmarks/flips.py --places 200 --results flips.jsonl

A home of some 1,800 chunks with a thread, traces and a research run is made; then, again and
again, a copy of it is damaged in one place (1 bit or 50), and the program is run as a person
would: `doctor`, a search, the thread's export, the last trace, `doctor --repair`, and the mending
that doctor names. A place is known by its file, bits, number and seed: `--results` keeps a line of
each, and a run that was cut off goes on after them; `--shard 1/2` does every second place.

Counted are runs that end by a signal or with code 1, answers that differ from the sound home's
without a word, damage that doctor does not see, and damage that is not mended. Damage is a file
that holds something else than before: of SQLite's files other rows or another schema, as they are
read without regard to indexes. `free` counts the flips that leave all rows as they were (pages in
no use, SQLite's own counters) and doctor sound; who holds a lock is not read from its file.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import random
import re
import select
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import cli.commands
import rag
import state
from rag.deferred_imports import defer_imports
from rag.embed.builtin import BuiltinEmbedder

ROOT = Path(__file__).parents[2]
LONGEST = 120
NAMES = ["whale", "railway", "bakery", "glacier", "violin", "harbour", "orchard", "comet"]
LOOKS = [
    ["search", "a height of 707 metres", "--k", "1", "--json"],
    ["threads", "export", "one"],
    ["trace", "last", "--json"],
]


class Ran(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


class Home:
    """A copy of the sound home, damaged in one place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.crashes: list[Ran] = []

    def crag(self, *arguments: str) -> Ran:
        """A run of the program in a fork of this process, which has imported all of it."""
        out, err = (self.folder.parent / name for name in ("stdout", "stderr"))
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                _become(arguments, self.folder, out, err)
            os._exit(1)
        with os.fdopen(os.pidfd_open(child)) as watched:
            if not select.select([watched], [], [], LONGEST)[0]:
                os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ran = Ran(code, *(path.read_text(errors="replace") for path in (out, err)))
        if code < 0 or code == 1:
            self.crashes.append(ran)
        return ran

    def look(self, arguments: list[str]) -> tuple[int, str, str]:
        ran = self.crag(*arguments)
        return ran.returncode, _comparable(ran.stdout), ran.stderr


def _become(arguments: tuple[str, ...], home: Path, out: Path, err: Path) -> None:
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(home.parent)
    os.environ["CRAG_HOME"] = str(home)
    sys.argv = ["crag", *arguments]
    from cli.main import main as run

    run()


def import_all() -> None:
    """What each run would read outside the home, read once: modules and the tokenizer."""
    defer_imports()
    for package in (state, rag, cli.commands):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with contextlib.suppress(ImportError):  # an extra that is not installed
                importlib.import_module(module.name)
    from rag.index.chroma import chromadb_module

    chromadb_module()
    for name in ("chromadb.api.rust", "chromadb.telemetry.product.posthog", "platformdirs"):
        importlib.import_module(name)
    setattr(BuiltinEmbedder, "_tokenizer", BuiltinEmbedder()._tokenizer)  # noqa: B010
    gc.freeze()  # what a fork shares with this process, it should not touch


def _comparable(text: str) -> str:
    """Of a search the passage found, not how long it took nor a score's last digit."""
    if not text.startswith('{"schema": "crag.search'):
        return text
    return str([(each["source"], each["text"]) for each in json.loads(text)["results"]])


def make(work: Path) -> Home:
    docs = work / "docs"
    docs.mkdir()
    chance = random.Random(1)
    for number in range(60):
        lines = [f"# Report {number}\n"]
        for page in range(31):
            name = NAMES[(number + page) % len(NAMES)]
            words = " ".join(chance.choice(NAMES) + str(chance.randrange(90)) for _ in range(110))
            lines.append(f"The height of the {name} is {number * 100 + page} metres. {words}.\n")
        (docs / f"report{number}.md").write_text("\n".join(lines))
    home = Home(work / "home")
    for command in (
        ["ingest", str(docs)],
        ["ask", "What is the height of the harbour in report 7?", "-t", "one"],
        ["ask", "What is the height of the whale in report 9?", "-t", "one"],
        ["research", "What is the height of the comet in report 3?", "--out", "report.md"],
    ):
        ran = home.crag(*command)
        assert ran.returncode in (0, 3), ran.stderr
    return home


def flip(path: Path, bits: int, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for bit in chance.sample(range(len(data) * 8), min(bits, len(data) * 8)):
        data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


@cache
def sound_contents(path: Path) -> list[object] | bytes | None:
    return contents(path)


def contents(path: Path) -> list[object] | bytes | None:
    """All that is kept in a file; None where SQLite cannot read it all."""
    if path.suffix == ".lock":
        return []
    if path.suffix not in (".db", ".sqlite", ".sqlite3"):
        return path.read_bytes()
    found: list[object] = []
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            db.text_factory = bytes
            schema = db.execute(
                "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
            ).fetchall()
            for kind, name, sql in schema:
                found.append(sql and sql.lower())  # SQL tells no large letters from small ones
                if kind == b"table" and not sql.startswith(b"CREATE VIRTUAL"):
                    rows = db.execute(f'SELECT * FROM "{name.decode()}" NOT INDEXED')
                    found += sorted(map(repr, rows))
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    return found


def mend(home: Home, told: str, work: Path) -> Ran:
    """What doctor names: a file to move away, its own repair, an ingest. What doctor says in the
    end.
    """
    for _ in range(10):
        deeds = [line.partition("mend: ")[2] for line in told.splitlines() if "mend: " in line]
        for deed in deeds:
            if deed.startswith("Move "):
                Path(deed.removeprefix("Move ").partition(" away")[0]).unlink()
        home.crag("doctor", "--repair")
        home.crag("ingest", str(work / "docs"))
        again = home.crag("doctor")
        told = again.stdout
        if "mend: " not in told:
            break
    return again


def one(
    sound: Home, expected: list[tuple[int, str, str]], name: str, place: Place, work: Path
) -> Counter[str]:
    counts: Counter[str] = Counter(flips=1)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        home = Home(Path(folder) / "home")
        shutil.copytree(sound.folder, home.folder)
        flip(home.folder / name, place.bits, random.Random(" ".join(map(str, place))))
        as_it_was = contents(home.folder / name) == sound_contents(sound.folder / name)
        doctor = home.crag("doctor")
        seen = doctor.returncode == 4
        looked = [home.look(look) for look in LOOKS]
        silent = any(
            (code, out) != (was, text) and not said and code in (0, 3)
            for (code, out, said), (was, text, _) in zip(looked, expected, strict=True)
        )
        counts["free"] += not seen and as_it_was
        counts["undetected"] += not seen and not as_it_was
        counts["silent"] += silent and not seen
        if not seen and not as_it_was:
            print("undetected:", place)
        if seen:
            again = mend(home, doctor.stdout, work)
            same = home.look(LOOKS[0])[:2] == expected[0][:2]
            counts["not mended"] += again.returncode != 0 or not same
            if again.returncode or not same:
                print("not mended:", place, again.stdout[-400:], again.stderr[-200:])
        counts["crashes"] += bool(home.crashes)
        for ran in home.crashes:
            print("crash:", place, ran.returncode, ran.stderr[-300:])
    return counts


class Place(NamedTuple):
    """One flip; the file is named without what is another in every home."""

    seed: int
    file: str
    bits: int
    number: int


class Results:
    """What was counted at each place, in a file where it outlives the run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counts: dict[Place, Counter[str]] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            place, counts = json.loads(line)
            self._counts[Place(*place)] = Counter(counts)

    def __contains__(self, place: Place) -> bool:
        return place in self._counts

    def add(self, place: Place, counts: Counter[str]) -> None:
        self._counts[place] = counts
        with self._path.open("a") as file:
            print(json.dumps([place, counts]), file=file)

    def table(self) -> str:
        rows: dict[tuple[str, int], Counter[str]] = {}
        total: Counter[str] = Counter()
        for place, counts in self._counts.items():
            rows.setdefault((place.file, place.bits), Counter()).update(counts)
            total.update(counts)
        lines = [f"{bits:>2} bits  {file:<36}  {dict(rows[file, bits])}" for file, bits in rows]
        return "\n".join([*lines, f"in all {dict(total)}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=200, help="of each file, and so many bits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bits", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--numbers", type=int, nargs="+", help="these places of each file alone")
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--shard", default="1/1", help="of so many parts of the places, this one")
    parser.add_argument("--results", type=Path, help="where each place's counts are kept")
    arguments = parser.parse_args()
    shard, shards = map(int, arguments.shard.split("/"))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        results = Results(arguments.results or work / "results")
        import_all()
        sound = make(work)
        shutil.copytree(sound.folder, work / "looked" / "home")
        expected = [Home(work / "looked" / "home").look(look) for look in LOOKS]
        names = [
            str(path.relative_to(sound.folder))
            for path in sorted(sound.folder.rglob("*"))
            if path.is_file() and path.stat().st_size and arguments.only in str(path)
        ]
        # Number by number: a run that is cut off has seen every file.
        for number in arguments.numbers or range(shard - 1, arguments.places, shards):
            for name, bits in product(names, arguments.bits):
                known = re.sub("[0-9a-f-]{8,}", "*", name)
                place = Place(arguments.seed, known, bits, number)
                if place not in results:
                    results.add(place, one(sound, expected, name, place, work))
        print(results.table())


if __name__ == "__main__":
    main()
