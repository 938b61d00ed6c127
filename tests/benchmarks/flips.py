"""Bits flipped at random places of every file of a home: crashes, silent changes, what mends them.

    python tests/benchmarks/flips.py --places 200

A home of some 1,800 chunks with a thread, traces and a research run is made; then, again and
again, a copy of it is damaged in one place (1 bit or 50), and the program is run as a person
would: a search and a question on the thread, `doctor`, `doctor --repair`, and the mending that
doctor names. Counted are ends by a signal or with code 1, answers that differ from the sound
home's without a word, damage that doctor does not see, and damage that is not mended. Damage is
a file that holds something else than before: of SQLite's files other rows or another schema, as
they are read without regard to indexes. `free` counts the flips that leave all rows as they
were (pages in no use, SQLite's own counters) and doctor sound; who holds a lock is not read from
its file.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import pkgutil
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

import cli.commands
import rag
import state
from rag.deferred_imports import defer_imports

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

    def crag(self, *arguments: str) -> Ran:
        """A run of the program in a fork of this process, which has imported all of it."""
        out, err = (self.folder.parent / name for name in ("stdout", "stderr"))
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                _become(arguments, self.folder, out, err)
            os._exit(1)
        give_up = time.monotonic() + LONGEST
        while not (ended := os.waitpid(child, os.WNOHANG))[0]:
            if time.monotonic() > give_up:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.005)
        texts = [path.read_text(errors="replace") for path in (out, err)]
        return Ran(os.waitstatus_to_exitcode(ended[1]), *texts)

    def looks(self) -> list[tuple[int, str, str]]:
        ran = [self.crag(*look) for look in LOOKS]
        return [(each.returncode, _comparable(each.stdout), each.stderr) for each in ran]


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
    defer_imports()
    for package in (state, rag, cli.commands):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with contextlib.suppress(ImportError):  # an extra that is not installed
                importlib.import_module(module.name)
    from rag.index.chroma_import import chromadb_module

    chromadb_module()


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
    """What doctor names: files to move away, traces and threads to delete, its own repair, an
    ingest. What doctor says in the end.
    """
    for _ in range(10):
        deeds = [line.partition("mend: ")[2] for line in told.splitlines() if "mend: " in line]
        for deed in deeds:
            if deed.startswith("Move "):
                Path(deed.removeprefix("Move ").partition(" away")[0]).unlink()
            elif " delete " in deed:
                home.crag(*deed.removeprefix("crag ").split())
        home.crag("doctor", "--repair")
        home.crag("ingest", str(work / "docs"))
        again = home.crag("doctor")
        told = again.stdout
        if "mend: " not in told:
            break
    return again


def one(
    sound: Home,
    expected: list[tuple[int, str, str]],
    name: str,
    bits: int,
    chance: random.Random,
    work: Path,
) -> Counter[str]:
    counts: Counter[str] = Counter(flips=1)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        home = Home(Path(folder) / "home")
        shutil.copytree(sound.folder, home.folder)
        flip(home.folder / name, bits, chance)
        as_it_was = contents(home.folder / name) == sound_contents(sound.folder / name)
        doctor = home.crag("doctor")
        seen = doctor.returncode == 4
        looked = home.looks()
        ends = [doctor.returncode, *(code for code, _, _ in looked)]
        counts["crashes"] += any(code < 0 or code == 1 for code in ends)
        silent = any(
            (code, out) != (was, text) and not said and code in (0, 3)
            for (code, out, said), (was, text, _) in zip(looked, expected, strict=True)
        )
        counts["free"] += not seen and as_it_was
        counts["undetected"] += not seen and not as_it_was
        counts["silent"] += silent and not seen
        if not seen and not as_it_was:
            print("undetected:", name, bits)
        if seen:
            again = mend(home, doctor.stdout, work)
            same = home.looks()[0][:2] == expected[0][:2]
            counts["not mended"] += again.returncode != 0 or not same
            if again.returncode or not same:
                print("not mended:", name, bits, again.stdout[-400:], again.stderr[-200:])
        if any(code < 0 or code == 1 for code in ends):
            print("crash:", name, bits, doctor.stderr[-300:], [said[-300:] for *_, said in looked])
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=200, help="of each file, and so many bits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path holds this")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        import_all()
        sound = make(work)
        shutil.copytree(sound.folder, work / "looked" / "home")
        expected = Home(work / "looked" / "home").looks()
        names = [
            str(path.relative_to(sound.folder))
            for path in sorted(sound.folder.rglob("*"))
            if path.is_file() and path.stat().st_size and arguments.only in str(path)
        ]
        for name in names:
            for bits in (1, 50):
                chance = random.Random(f"{arguments.seed} {name} {bits}")
                counts: Counter[str] = Counter()
                for _ in range(arguments.places):
                    counts += one(sound, expected, name, bits, chance, work)
                print(f"{bits:>2} bits  {name[-60:]:<60}  {dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
