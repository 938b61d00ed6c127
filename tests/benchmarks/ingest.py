"""Ingest against a bare script that only embeds and adds the same chunks to Chroma.

    python tests/benchmarks/ingest.py --data FOLDER [--copies 20] [--files 7000]

Prints ratios: rate on one core and on two, disk per byte of text, an unchanged ingest
against a plain walk, and one changed file. CPU seconds are user and system time of the
process and its children; each figure is the best of --runs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--copies", type=int, default=20)
    options.add_argument("--files", type=int, default=7000)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--only", choices=["rate", "unchanged"])
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        if given.only != "unchanged":
            rate(given.data, given.copies, given.runs, work)
        if given.only != "rate":
            unchanged(given.files, given.runs, work)


def rate(data: Path, copies: int, runs: int, work: Path) -> None:
    folder = work / "docs"
    for number in range(copies):
        shutil.copytree(data, folder / f"copy{number:02}")
    step("chunks", folder, work / "chunks.json")
    found: dict[tuple[str, int], list[dict[str, float]]] = {}
    machine = []
    for _ in range(runs):  # in turn, as a machine is not equally fast all the time
        for cores in (1, 2):
            for what, given, made in (("bare", "chunks.json", "bare"), ("ours", "docs", "home")):
                run = step(what, work / given, work / made, cores=cores)
                found.setdefault((what, cores), []).append(run)
            machine.append(two_loops())
    for cores in (1, 2):
        bare, ours = smallest(found["bare", cores]), smallest(found["ours", cores])
        print(
            f"{cores} core(s): {ours['chunks']} chunks; bare {bare['cpu']:.2f} s CPU"
            f" {bare['wall']:.2f} s wall, ours {ours['cpu']:.2f} s CPU {ours['wall']:.2f} s wall;"
            f" rate of the bare one: {bare['cpu'] / ours['cpu']:.2f} by CPU,"
            f" {bare['wall'] / ours['wall']:.2f} by wall"
        )
    alone = smallest(found["ours", 1])
    print(
        f"two cores against one: {alone['wall'] / ours['wall']:.2f} times as fast;"
        f" two plain loops at once: {statistics.median(machine):.2f} times as fast as in turn"
    )
    print(f"disk: {ours['disk'] / ours['characters']:.2f} bytes a character of text")


def two_loops() -> float:
    """What the machine itself gains from a second core just now: 2.0 where nobody disturbs."""
    code = "for number in range(12_000_000): number * number"

    def seconds(cores: list[int]) -> float:
        began = time.perf_counter()
        loops = [
            subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", code])
            for core in cores
        ]
        for loop in loops:
            loop.wait()
        return time.perf_counter() - began

    first, second = sorted(os.sched_getaffinity(0))[:2]
    return 2 * seconds([first]) / seconds([first, second])


def unchanged(files: int, runs: int, work: Path) -> None:
    folder = work / "many"
    for number in range(files):
        path = folder / f"sec{number % 40:02}" / f"doc{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\nThe number of this note is {number}.\n")
    home = work / "many-home"
    step("ours", folder, home)
    started = best(runs, "start", 1, folder, home)
    walked = best(runs, "walk", 1, folder, home)
    same = best(runs, "again", 1, folder, home)
    print(
        f"unchanged, {files} files: {same['cpu']:.3f} s CPU; start-up {started['cpu']:.3f},"
        f" walk and stat {walked['work']:.3f}; the ingest itself is"
        f" {same['work'] / walked['work']:.2f} walks, all above start-up"
        f" {(same['cpu'] - started['cpu']) / walked['work']:.2f}"
    )
    changed = best(runs, "changed", 1, folder, home)
    print(
        f"one changed: {changed['cpu'] - same['cpu']:+.3f} s CPU,"
        f" {changed['wall'] - same['wall']:+.3f} s wall against unchanged"
    )


def best(runs: int, what: str, cores: int, *paths: Path) -> dict[str, float]:
    return smallest([step(what, *paths, cores=cores) for _ in range(runs)])


def smallest(found: list[dict[str, float]]) -> dict[str, float]:
    return {key: min(run[key] for run in found) for key in found[0]}


def step(what: str, *paths: Path, cores: int = 2) -> dict[str, float]:
    """Run one measured part in a process of its own, on so many cores."""
    command = [sys.executable, __file__, "--step", what, str(cores), *map(str, paths)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "wall": wall, **json.loads(done.stdout.splitlines()[-1])}


def run_step(what: str, cores: int, paths: list[Path]) -> dict[str, float]:
    os.sched_setaffinity(0, set(list(os.sched_getaffinity(0))[:cores]))
    if what == "chunks":
        return chunk_all(*paths)
    if what == "bare":
        return bare_script(*paths)
    if what == "walk":
        began = time.process_time()
        for folder, _, names in os.walk(paths[0]):
            for name in names:
                os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the plain way
        return {"work": time.process_time() - began}
    if what == "ours":
        shutil.rmtree(paths[1], ignore_errors=True)
    if what == "changed":
        (paths[0] / "sec00" / "doc00000.md").write_text(f"# Note\n\nChanged at {time.time()}.\n")
    return ours(paths[0], paths[1], start_only=what == "start")


def ours(folder: Path, home: Path, *, start_only: bool) -> dict[str, float]:
    import gc

    from rag.ingest.sync import ingest
    from rag.opening import build_embedder
    from state.settings import load_settings

    gc.set_threshold(100_000, 50, 50)  # as the program itself does
    settings = load_settings({"home": home})
    embedder = build_embedder(settings)
    if start_only:
        from rag.index.local_store import LocalStore

        with LocalStore(home).open_writer("default", embedder.identity):
            return {}
    began = time.process_time()
    report = ingest(settings, embedder, [str(folder)])
    work = time.process_time() - began
    disk = sum(path.lstat().st_blocks * 512 for path in home.rglob("*"))
    from rag.index.local_store import LocalStore

    characters = LocalStore(home).summaries()[0].characters
    return {"chunks": report.chunks, "disk": disk, "characters": characters, "work": work}


def chunk_all(folder: Path, target: Path) -> dict[str, float]:
    from rag.documents.registry import open_document
    from rag.text.chunk import chunk_parts
    from state.errors import DocumentError

    texts: list[str] = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        try:
            with open_document(path) as stream:
                texts.extend(piece.text for piece in chunk_parts(stream.parts, stream.format))
        except DocumentError:
            continue
    target.write_text(json.dumps(texts))
    return {"chunks": len(texts)}


def bare_script(chunks: Path, folder: Path) -> dict[str, float]:
    """What the person would write: load, embed in batches, add with the text."""
    import chromadb
    import wordllama
    from wordllama import WordLlama

    shutil.rmtree(folder, ignore_errors=True)
    texts = json.loads(chunks.read_text())
    model = WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    client = chromadb.PersistentClient(str(folder))
    space = {"hnsw:space": "cosine"}
    collection = client.create_collection("docs", metadata=space, embedding_function=None)
    for start in range(0, len(texts), 500):
        batch = texts[start : start + 500]
        vectors = model.embed(batch, norm=True)
        ids = [str(number) for number in range(start, start + len(batch))]
        collection.add(ids=ids, embeddings=vectors, documents=batch)
    return {"chunks": len(texts)}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        os.environ["TOKENIZERS_PARALLELISM"] = "true" if sys.argv[3] != "1" else "false"
        print(json.dumps(run_step(sys.argv[2], int(sys.argv[3]), list(map(Path, sys.argv[4:])))))
    else:
        main()
