"""Ingest, size and search of a large collection, at home or in a shared store.

    python tests/benchmarks/scale.py --data DIR/corpus.jsonl [--chunks 100000] [--home DIR]
        [--store URL] [--turns 300]

DIR holds queries.jsonl, too. Texts of the corpus are cut into chunks of about 1,000 characters,
with every tenth word from somewhere else, so that no two are equal. With --turns, cold questions
are asked on a thread of so many turns and on new ones, in turn.
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rag.index.protocol import DocumentPart, IndexedDocument
from rag.opening import store_of
from state.documents import Chunk
from state.home_db import HomeDb
from state.settings import load_settings
from state.turn_store import TurnStore

CHUNK = 1_000
NAME = "scale"


def documents(rows, wanted):
    """(source, text) with texts of 20 chunks, until there are enough."""
    chance = random.Random(0)
    words = " ".join(row["text"] for row in rows).split()
    words *= -(-8_000 // len(words))  # a small corpus, over and over
    for number in range(-(-wanted // 20)):
        start = chance.randrange(len(words) - 4_000)
        taken = [
            chance.choice(words) if chance.random() < 0.1 else word
            for word in words[start : start + 3_200]
        ]
        yield f"doc{number}", " ".join(taken)[: 20 * CHUNK]


def chunks_of(text):
    for start in range(0, len(text), CHUNK):
        piece = text[start : start + CHUNK]
        end = start + len(piece)
        yield Chunk(None, 1, 1, start, end, piece)


def fill(store, rows, wanted):
    """The characters written."""
    characters = 0
    with store.open_writer(NAME) as writer:
        for source, text in documents(rows, wanted):
            part = DocumentPart(text, tuple(chunks_of(text)))
            characters += len(text.encode())
            writer.put_all([(IndexedDocument(source, None, None, ""), [part])])
    return characters


def ask(home, thread, question):
    """The answer of a process of its own."""
    words = ["ask", question, "-t", thread, "-c", NAME, "--home", home, "--json", "--ok-abstain"]
    crag = Path(sys.executable).with_name("crag")
    done = subprocess.run([crag, *words, "--engine", "local"], capture_output=True, check=True)
    return json.loads(done.stdout)


def threads(home, asked, turns, runs=7):
    """Milliseconds of cold questions on a thread of so many turns, and on new ones."""
    asked = [question for question in asked if len(question.split()) > 5]  # no small talk
    answers = [ask(home, "long", question) for question in asked[:3]]
    with TurnStore(HomeDb(home)) as store:
        for number in range(turns - len(answers)):
            store.append("long", answers[number % len(answers)])
    taken = {"long": [], "new": []}
    for number in range(runs):
        for kind, thread in (("long", "long"), ("new", f"new {number}")):
            began = time.perf_counter()
            ask(home, thread, asked[3])
            taken[kind].append((time.perf_counter() - began) * 1000)
    long, new = (statistics.median(taken[kind]) for kind in ("long", "new"))
    print(f"ask -t, {turns} turns: {long:.0f} ms, a new thread: {new:.0f} ms, {long / new:.2f} x")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a corpus.jsonl")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--home", type=Path, help="keep the collection here")
    parser.add_argument("--store", help="of Postgres")
    parser.add_argument("--turns", type=int, help="of a thread that is asked on")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.data.open()]
    asked = [json.loads(line)["text"] for line in given.data.with_name("queries.jsonl").open()]
    home = given.home or Path(tempfile.mkdtemp())
    store = store_of(load_settings({"home": home, "store": given.store}))
    if NAME not in store.names():
        began, spent = time.perf_counter(), time.process_time()
        characters = fill(store, rows, given.chunks)
        seconds, cpu = time.perf_counter() - began, time.process_time() - spent
        print(f"ingest {seconds:.1f} s, {given.chunks / seconds:.0f} chunks/s, CPU {cpu:.1f} s")
        on_disk = sum(file.stat().st_blocks * 512 for file in home.rglob("*"))
        octets = on_disk + store.disk_bytes()
        print(f"  on disk {octets / 1e6:.1f} MB = {octets / characters:.2f} x text")
    reader = store.open_collection(NAME, notice=print)
    asked, warm = asked[:220], min(20, len(asked) // 2)
    for text in asked[:warm]:
        reader.search(text, 8)
    taken, spent = [], time.process_time()
    for text in asked[warm:]:
        began = time.perf_counter()
        reader.search(text, 8)
        taken.append((time.perf_counter() - began) * 1000)
    taken.sort()
    cpu = (time.process_time() - spent) / len(taken) * 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    middle, late = taken[len(taken) // 2], taken[int(len(taken) * 0.95)]
    print(f"search over {reader.chunk_count} chunks: p50 {middle:.1f} ms, p95 {late:.1f} ms")
    print(f"  CPU {cpu:.1f} ms a search, peak RSS {peak} MB, by {reader.dense_searched}")
    if given.turns:
        threads(home, asked, given.turns)


if __name__ == "__main__":
    main()
