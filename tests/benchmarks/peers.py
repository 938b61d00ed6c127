"""crag beside other tools, whole processes, on one machine and one scripted model.

    python tests/benchmarks/peers.py [--files 200] [--n 5] [--peers peers.toml] [--only NAME …]

Makes a folder of Markdown files of 4 KB, has each tool of peers.toml ingest it (twice: the second
time nothing has changed), and asks up to five questions that
the files answer and five that they do not.
The model is model_server.py's and takes 300 ms a call. A tool that is not on PATH is left out and
named. Prints medians; run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from model_calls import Server, running

LATENCY_MS = 300
PLACES = ("Osmerdale", "Brackholm", "Tarnfirth", "Kelderby", "Whinmoor")
ANSWERED = [f"How many wagons does the siding of {place} hold?" for place in PLACES]
ABSENT = [f"Who is the mayor of {city}?" for city in ("Tokyo", "Lima", "Oslo", "Cairo", "Quito")]
"""As many as are asked: what a tool keeps of one question is no help with the next."""

RIGHT = "4417"
WORDS = "slate coal wagon points signal lever platform gradient inspection boiler ticket guard"


def write_files(folder: Path, count: int) -> None:
    """`count` files of some 4 KB, the same in every run; some hold an answer."""
    draw = random.Random(7)
    holding = {(n + 1) * count // 6: place for n, place in enumerate(PLACES)}
    for number in range(count):
        lines = [f"# Siding {number}", ""]
        while sum(map(len, lines)) < 4000:
            words = " ".join(draw.choice(WORDS.split()) for _ in range(14))
            lines += [f"{words.capitalize()} {draw.randrange(10_000)}.", ""]
        if number in holding:
            lines[2:2] = [f"The siding of {holding[number]} holds {RIGHT} wagons.", ""]
        (folder / f"siding-{number:04}.md").write_text("\n".join(lines), encoding="utf-8")


def run(line: str, environment: dict[str, str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env=environment, capture_output=True, text=True, timeout=900, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{line}\nended with {done.returncode}: {done.stderr[-500:]}")
    return time.perf_counter() - start, done.stdout


def program(line: str) -> str:
    return line.rsplit(";", maxsplit=1)[-1].rsplit("|", maxsplit=1)[-1].split(maxsplit=1)[0]


@contextmanager
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(peer: dict[str, Any], docs: Path, server: Server, times: int) -> list[str]:
    environment = dict(os.environ)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        environment.pop(name, None)
    if peer.get("model"):
        environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-none"}
    with home() as folder:
        known = {"docs": docs, "home": folder, "url": server.url}
        ingest = peer["ingest"].format(**{k: shlex.quote(str(v)) for k, v in known.items()})
        cells = [f"{run(ingest, environment)[0]:.1f}", f"{run(ingest, environment)[0]:.1f}"]
        for questions in (ANSWERED, ABSENT):
            rows = []
            for question in questions[:times]:
                values = {**known, "question": question}
                ask = peer["ask"].format(**{k: shlex.quote(str(v)) for k, v in values.items()})
                rows.append(server.measured(partial(run, ask, environment)))
            wall, calls, tokens = (
                statistics.median(row[key] for row in rows) for key in ("wall", "calls", "tokens")
            )
            right = sum(RIGHT in row["result"][1] for row in rows)
            told = f", {right} of {len(rows)} right" if questions is ANSWERED else ""
            cells.append(f"{wall:.1f} s, {calls:g} calls, {tokens:,.0f}{told}")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--peers", type=Path, default=Path(__file__).with_name("peers.toml"))
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    peers = tomllib.loads(given.peers.read_text(encoding="utf-8"))
    print("| | ingest s | again s | answerable: wall, chat calls, prompt tokens | absent |")
    print("|---|---|---|---|---|")
    with home() as docs, running() as server:
        write_files(docs, given.files)
        server.configure(latency_ms=LATENCY_MS)
        for name, peer in peers.items():
            if given.only and name not in given.only:
                continue
            if shutil.which(program(peer["ask"])) is None:
                print(f"{name} is not on PATH.", file=sys.stderr)
                continue
            print(f"| {name} | {' | '.join(measure(peer, docs, server, given.n))} |", flush=True)


if __name__ == "__main__":
    main()
