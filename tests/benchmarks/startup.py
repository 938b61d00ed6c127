"""CPU time of `crag --help`, `--version` and a one-shot `crag ask`, against bare imports.

    python tests/benchmarks/startup.py [--chunks 10000] [--runs 7]

Both sides of each ratio are run in turn in this one run; the figures are medians of user
plus system seconds of the whole process. The collection is made of invented Markdown.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

WORDS = [
    "signal",
    "engine",
    "bridge",
    "ticket",
    "station",
    "summit",
    "tunnel",
    "depot",
    "track",
    "gauge",
    "brake",
    "whistle",
    "timetable",
    "platform",
    "carriage",
    "boiler",
    "winter",
    "summer",
    "museum",
    "archive",
    "workshop",
    "safety",
    "inspection",
    "driver",
    "guard",
    "lantern",
    "switch",
    "gradient",
    "viaduct",
    "valley",
    "snow",
    "plough",
    "repair",
    "coal",
    "water",
    "tank",
    "record",
    "visitor",
]


def cpu(command: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name: str, ours: list[str], bare: list[str], runs: int, env: dict[str, str]) -> None:
    pairs = [(cpu(ours, env), cpu(bare, env)) for _ in range(runs)]
    mine, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"{name:<28} {mine:7.3f} s   bare {theirs:7.3f} s   ratio {ratio:5.2f}", flush=True)


def make_folder(folder: Path, chunks: int) -> None:
    chance = random.Random(7)
    for number in range(chunks // 4):
        paragraphs = [f"# Record {number}"]
        paragraphs += [
            " ".join(chance.choices(WORDS, k=150)).capitalize() + f" in case {number}-{part}."
            for part in range(4)
        ]
        file = folder / f"part{number % 20:02d}" / f"record{number:05d}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(paragraphs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    crag = [sys.executable, "-c", "from cli.main import main; main()"]
    with tempfile.TemporaryDirectory() as place:
        env = {**os.environ, "CRAG_HOME": str(Path(place) / "home"), "CRAG_ENGINE": "local"}
        typer = [sys.executable, "-c", "import typer"]
        graph = [sys.executable, "-c", "import chromadb, langgraph.graph"]
        compare("crag --help", [*crag, "--help"], typer, given.runs, env)
        compare("crag --version", [*crag, "--version"], typer, given.runs, env)
        folder = Path(place) / "folder"
        make_folder(folder, given.chunks)
        subprocess.run([*crag, "ingest", str(folder), "-q"], env=env, check=True)
        ask = [*crag, "ask", "What happened at the viaduct in case 17-2?", "--max-loops", "3"]
        compare(f"crag ask ({given.chunks:,} chunks)", ask, graph, given.runs, env)


if __name__ == "__main__":
    main()
