"""A shared store on PostgreSQL against the store at home, and at size.

    python tests/benchmarks/postgres.py DATA [--chunks 20000 200000] [--url postgresql://…] [--long]

DATA holds scifact, squad2 and mtrag_clapnq. Without --url a server of its own is started and
stopped; with it, collections of an earlier run are used again. --long adds 1,000,000 chunks.
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing, nullcontext
from itertools import count, pairwise
from pathlib import Path

from labelled import EMBEDDER, index, put_corpus
from scale import chunks_of

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from postgres_server import find_pg_ctl, running_postgres

from rag.index.local_store import LocalStore
from rag.index.postgres.store import PostgresStore
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text

SETS = ("scifact", "squad2", "mtrag_clapnq")
SCHEMA = "benchmark"
QUESTIONS = 67
CONNECTIONS, EACH = 50, 10
READER = """
import sys
from pathlib import Path
from rag.embed.builtin import BuiltinEmbedder
from rag.index.postgres.store import PostgresStore
reader = PostgresStore(sys.argv[1], sys.argv[2]).open_collection(sys.argv[3], BuiltinEmbedder())
for query in sys.stdin.read().splitlines():
    reader.search(query, 8)
# Of ru_maxrss the process that began this one may be a part.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak.split()[1])
"""


def rows(path):
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def documents(texts, wanted):
    """(source, text) of about 20 chunks each: stretches of the sets with every tenth word from
    somewhere else.
    """
    chance = random.Random(0)
    words = " ".join(texts).split()
    made = 0
    for number in count():
        if made >= wanted:
            return
        start = chance.randrange(len(words) - 4_000)
        taken = [
            chance.choice(words) if chance.random() < 0.1 else word
            for word in words[start : start + 3_200]
        ]
        text = " ".join(taken)[:20_000]
        yield f"doc{number}", text
        made += -(-len(text) // 1_000)


def fill(store, name, texts, wanted):
    """Chunks a second, embedding included."""
    began, made = time.perf_counter(), 0
    with store.open_writer(name, EMBEDDER.identity) as writer:
        for source, text in documents(texts, wanted):
            chunks = list(chunks_of(source, text))
            vectors = EMBEDDER.embed_documents([embedding_text(chunk) for chunk in chunks])
            writer.put(
                IndexedDocument(source, None, None, ""),
                [DocumentPart(text, chunks, vectors)],
            )
            made += len(chunks)
    return made / (time.perf_counter() - began)


def rankings(data, store):
    same = total = 0
    for name in SETS:
        with tempfile.TemporaryDirectory() as home:
            index(Path(home), rows(data / name / "corpus.jsonl")).close()
            local = LocalStore(Path(home)).open_collection("set", EMBEDDER)
            if name not in store.names():
                put_corpus(store, name, rows(data / name / "corpus.jsonl"))
            questions = [row["text"] for row in rows(data / name / "queries.jsonl")]
            asked = random.Random(1).sample(questions, QUESTIONS)
            with closing(local), closing(store.open_collection(name, EMBEDDER)) as shared:
                here = [[c["chunk_id"] for c in local.search(each, 10)] for each in asked]
                there = [[c["chunk_id"] for c in shared.search(each, 10)] for each in asked]
        equal = sum(map(list.__eq__, here, there))
        print(f"  {name}: {equal} of {len(asked)} questions with the same ten", flush=True)
        same, total = same + equal, total + len(asked)
    print(f"rankings: {same / total:.1%} of {total} the same", flush=True)


def queries(data, store, name):
    """Questions of the sets, and as many of the collection's commonest words."""
    asked = [row["text"] for each in SETS for row in rows(data / each / "queries.jsonl")]
    asked = random.Random(2).sample(asked, 100)
    with store._reading() as db:
        common = [
            term
            for (term,) in db.execute(
                "SELECT term FROM terms JOIN collections ON id = collection_id WHERE name = %s"
                " AND term ~ '^[a-z]+$' ORDER BY terms.chunks DESC LIMIT 60",
                (name,),
            )
        ]
    chance = random.Random(3)
    return asked, [" ".join(chance.sample(common, 5)) for _ in range(50)]


def times(reader, asked):
    taken = []
    for query in asked:
        began = time.perf_counter()
        reader.search(query, 8)
        taken.append((time.perf_counter() - began) * 1000)
    return sorted(taken)


def shown(taken):
    return f"p50 {taken[len(taken) // 2]:.0f} ms, p95 {taken[int(len(taken) * 0.95)]:.0f} ms"


def server_cpu(reader):
    """Seconds that the server's process for this reader has computed; 0 on another machine."""
    process = reader._database.connected().info.backend_pid
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def latency(store, name, asked, common):
    with closing(store.open_collection(name, EMBEDDER)) as reader:
        times(reader, [*asked[:20], *common[:5]])
        spent, served = time.process_time(), server_cpu(reader)
        some, more = times(reader, asked), times(reader, common)
        count_of = len(asked) + len(common)
        spent = (time.process_time() - spent) / count_of * 1000
        served = (server_cpu(reader) - served) / count_of * 1000
    together = sorted(some + more)
    print(f"{name}: {shown(together)}; questions {shown(some)}; common words {shown(more)}")
    print(f"  CPU a query: {spent:.0f} ms here, {served:.0f} ms in the server")
    return together


def _asker(url, asked, started, results):
    store = PostgresStore(url, SCHEMA)
    with closing(store.open_collection(asked[0], EMBEDDER)) as reader:
        reader.search(asked[1][0], 8)  # a connection's first question also opens and plans
        started.wait()
        try:
            results.put(times(reader, asked[1]))
        except Exception as error:  # noqa: BLE001 - counted
            results.put(str(error))


def crowd(store, name, asked):
    context = multiprocessing.get_context("fork")
    started, results = context.Barrier(CONNECTIONS), context.Queue()
    chance = random.Random(4)
    children = [
        context.Process(
            target=_asker, args=(store.url, (name, chance.sample(asked, EACH)), started, results)
        )
        for _ in range(CONNECTIONS)
    ]
    for child in children:
        child.start()
    found = [results.get() for _ in children]
    for child in children:
        child.join()
    errors = [each for each in found if isinstance(each, str)]
    taken = sorted(each for some in found if not isinstance(some, str) for each in some)
    print(f"{CONNECTIONS} connections, {EACH} queries each: {shown(taken)}, {len(errors)} errors")
    return taken


def reader_memory(store, name, asked):
    done = subprocess.run(
        [sys.executable, "-c", READER, store.url, SCHEMA, name],
        input="\n".join(asked[:30]), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(done.stdout) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--url")
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    sizes = sorted({*arguments.chunks, *([1_000_000] if arguments.long else [])})
    texts = [r["text"] for each in SETS for r in rows(arguments.data / each / "corpus.jsonl")]
    EMBEDDER.embed_query("load the weights")
    own = nullcontext() if arguments.url else running_postgres(find_pg_ctl())
    with own as server:
        store = PostgresStore(arguments.url or server.url, SCHEMA)
        rankings(arguments.data, store)
        for size in sizes:
            name = f"grown-{size}"
            if name not in store.names():
                rate = fill(store, name, texts, size)
                print(f"{name}: {rate:.0f} chunks/s", end="", flush=True)
                if size == sizes[0]:
                    with tempfile.TemporaryDirectory() as home:
                        at_home = fill(LocalStore(Path(home)), name, texts, size)
                    print(f"; at home {at_home:.0f}, ratio {rate / at_home:.2f}", end="")
                print(flush=True)
        found = {}
        for size in sizes:
            asked, common = queries(arguments.data, store, f"grown-{size}")
            found[size] = latency(store, f"grown-{size}", asked, common)
        for less, more in pairwise(sizes):
            few, many = (found[size][len(found[size]) // 2] for size in (less, more))
            print(
                f"growth {less:,} to {more:,} chunks: p50 x {many / few:.2f},"
                f" the square root is {(more / less) ** 0.5:.2f}"
            )
        largest = 200_000 if 200_000 in sizes else sizes[-1]
        name = f"grown-{largest}"
        asked, common = queries(arguments.data, store, name)
        alone = found[largest]
        together = crowd(store, name, asked + common)
        ratio = together[int(len(together) * 0.95)] / alone[int(len(alone) * 0.95)]
        print(f"  p95 {ratio:.1f} x that of one connection")
        if "small" not in store.names():
            fill(store, "small", texts, 20)
        print(
            f"a reader's memory: {reader_memory(store, name, asked):.0f} MB over {largest:,}"
            f" chunks, {reader_memory(store, 'small', asked):.0f} MB over 20; on disk nothing"
        )
        print(f"the store takes {store.octets()['store'] / 1e6:.0f} MB on the server")
        print(f"peak memory here {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


if __name__ == "__main__":
    main()
