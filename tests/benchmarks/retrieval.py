"""BM25, dense and fused retrieval on labelled sets, in one run.

    python tests/benchmarks/retrieval.py --data DIR [--sets scifact squad2] [--limit 300]

DIR holds one folder a set, each with corpus.jsonl and queries.jsonl as `crag eval` takes them.
Documents are cut as `crag ingest` cuts them and ranked by their best chunk.
"""

import argparse
import json
import math
import random
import tempfile
import time
from pathlib import Path

from rag.documents.stream import Part
from rag.embed.builtin import BuiltinEmbedder
from rag.index.lexical import query_terms
from rag.index.local_store import LocalStore
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.text.chunk import chunk_parts
from state.documents import Chunk, chunk_id

DEPTH = 100


def ingest(home, rows, embedder):
    with LocalStore(home).open_writer("set", embedder.identity) as writer:
        for row in rows:
            source, title, text = row["id"], row.get("title") or None, row["text"]
            chunks = [
                Chunk(
                    chunk_id(source, piece.start_char, piece.text),
                    source,
                    title,
                    piece.page,
                    piece.start_line,
                    piece.end_line,
                    piece.start_char,
                    piece.end_char,
                    piece.text,
                    piece.heading,
                )
                for piece in chunk_parts([Part(text)], "text")
            ]
            vectors = embedder.embed_documents([embedding_text(chunk) for chunk in chunks])
            document = IndexedDocument(source, None, None, "", title=title)
            writer.put(document, [DocumentPart(text, chunks, vectors)])


def sources(reader, numbers):
    """The documents of ranked chunk rows, each once."""
    marks = ",".join("?" * len(numbers))
    found = dict(
        reader._connection.execute(
            "SELECT chunks.id, documents.source FROM chunks JOIN documents"
            f" ON documents.id = chunks.document_id WHERE chunks.id IN ({marks})",
            numbers,
        )
    )
    return list(dict.fromkeys(found[number].decode() for number in numbers))


def ndcg(ranked, relevant, depth=10):
    gained = sum(1 / math.log2(n + 2) for n, doc in enumerate(ranked[:depth]) if doc in relevant)
    return gained / sum(1 / math.log2(n + 2) for n in range(min(depth, len(relevant))))


def scores(ranked, relevant):
    found = [ndcg(ranked, relevant)]
    found += [len(set(ranked[:depth]) & relevant) / len(relevant) for depth in (5, 10, 20)]
    return found


def judge(folder, limit, embedder):
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").open()]
    known = {row["id"] for row in rows}
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    queries = [query for query in queries if set(query["relevant"]) & known]
    random.Random(1).shuffle(queries)
    table = {"BM25": [], "dense": [], "fused": []}
    taken = []
    with tempfile.TemporaryDirectory() as home:
        ingest(Path(home), rows, embedder)
        reader = LocalStore(Path(home)).open_collection("set", embedder)
        for query in queries[:limit]:
            text = query.get("rewrite") or query["text"]
            relevant = set(query["relevant"]) & known
            lexical = reader._legs.lexical(dict.fromkeys(query_terms(text), 1), DEPTH)
            dense = reader._dense.nearest(reader._connection, embedder.embed_query(text), DEPTH)
            started = time.perf_counter()
            fused = reader.search(text, 60)
            taken.append(time.perf_counter() - started)
            table["BM25"].append(scores(sources(reader, list(lexical)), relevant))
            table["dense"].append(scores(sources(reader, list(dense)), relevant))
            ranked = list(dict.fromkeys(chunk["source"] for chunk in fused))
            table["fused"].append(scores(ranked, relevant))
        chunks = reader.chunk_count
        reader.close()
    means = {
        name: [sum(column) / len(column) for column in zip(*found, strict=True)]
        for name, found in table.items()
    }
    taken.sort()
    print(f"{folder.name}: {len(taken)} queries, {chunks} chunks,", end=" ")
    print(f"search p50 {taken[len(taken) // 2] * 1000:.1f} ms", flush=True)
    for name, values in means.items():
        print(f"  {name:6}", "  ".join(f"{value:.4f}" for value in values), flush=True)
    return means


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", default=["scifact", "squad2", "hotpotqa_sub"])
    parser.add_argument("--limit", type=int, default=300)
    arguments = parser.parse_args()
    print("        ndcg@10 recall@5 recall@10 recall@20")
    embedder = BuiltinEmbedder()
    found = [judge(arguments.data / name, arguments.limit, embedder) for name in arguments.sets]
    print("mean")
    for name in ("BM25", "dense", "fused"):
        columns = zip(*(means[name] for means in found), strict=True)
        print(f"  {name:6}", "  ".join(f"{sum(c) / len(c):.4f}" for c in columns))


if __name__ == "__main__":
    main()
