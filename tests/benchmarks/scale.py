"""Ingest, disk and search of a large collection, made from a real one.

    python tests/benchmarks/scale.py --data DIR/corpus.jsonl [--chunks 100000] [--home DIR]

Texts of the corpus are cut into chunks of about 1,000 characters, and copies beyond the first
have some of their words exchanged, so that no two chunks are equal.
"""

import argparse
import json
import random
import resource
import tempfile
import time
from pathlib import Path

from rag.embed.builtin import BuiltinEmbedder
from rag.index.local_store import LocalStore
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from state.documents import Chunk, chunk_id

CHUNK = 1_000


def documents(rows, wanted):
    """(source, text) with texts of 20 chunks, until there are enough."""
    chance = random.Random(0)
    words = " ".join(row["text"] for row in rows).split()
    words *= -(-8_000 // len(words))  # a small corpus, over and over
    made = 0
    number = 0
    while made < wanted:
        start = chance.randrange(len(words) - 4_000)
        # A stretch of the corpus with every tenth word from somewhere else.
        taken = [
            chance.choice(words) if chance.random() < 0.1 else word
            for word in words[start : start + 3_200]
        ]
        text = " ".join(taken)[: 20 * CHUNK]
        yield f"doc{number}", text
        made += len(range(0, len(text), CHUNK))
        number += 1


def chunks_of(source, text):
    for start in range(0, len(text), CHUNK):
        piece = text[start : start + CHUNK]
        yield Chunk(
            chunk_id(source, start, piece),
            source,
            None,
            None,
            1,
            1,
            start,
            start + len(piece),
            piece,
        )


def size_of(folder):
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a corpus.jsonl")
    parser.add_argument("--queries", type=Path, help="a queries.jsonl; default: beside the corpus")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--home", type=Path, help="keep the collection here")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.data.open()]
    embedder = BuiltinEmbedder()
    home = arguments.home or Path(tempfile.mkdtemp())
    if not (home / "catalog.sqlite").exists():
        started, spent, characters = time.perf_counter(), time.process_time(), 0
        with LocalStore(home).open_writer("scale", embedder.identity) as writer:
            for source, text in documents(rows, arguments.chunks):
                chunks = list(chunks_of(source, text))
                vectors = embedder.embed_documents([embedding_text(chunk) for chunk in chunks])
                characters += len(text.encode())
                document = IndexedDocument(source, None, None, "")
                writer.put(document, [DocumentPart(text, chunks, vectors)])
        seconds, cpu = time.perf_counter() - started, time.process_time() - spent
        rate = arguments.chunks / seconds
        print(f"ingest {seconds:.1f} s, {rate:.0f} chunks/s, CPU {cpu:.1f} s")
        print(f"text {characters / 1e6:.1f} MB")
        for name in ("catalog.sqlite", "vectors"):
            path = home / name
            size = size_of(path) if path.is_dir() else path.stat().st_size
            print(f"  {name} {size / 1e6:.1f} MB = {size / characters:.2f} x text")
        print(f"  all {size_of(home) / characters:.2f} x text")
    queries = arguments.queries or arguments.data.with_name("queries.jsonl")
    texts = [json.loads(line)["text"] for line in queries.open()][:220]
    reader = LocalStore(home).open_collection("scale", embedder, notice=print)
    warm = min(20, len(texts) // 2)
    for text in texts[:warm]:
        reader.search(text, 8)
    taken, spent = [], time.process_time()
    for text in texts[warm:]:
        started = time.perf_counter()
        reader.search(text, 8)
        taken.append(time.perf_counter() - started)
    taken.sort()
    middle, late = taken[len(taken) // 2] * 1000, taken[int(len(taken) * 0.95)] * 1000
    cpu = (time.process_time() - spent) / len(taken) * 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"search over {reader.chunk_count} chunks: p50 {middle:.1f} ms, p95 {late:.1f} ms")
    print(f"  CPU {cpu:.1f} ms a search, peak RSS {peak} MB")


if __name__ == "__main__":
    main()
