"""What starting costs: `crag --help`, a one-off question with and without a model, its memory;
against bare imports, all in this one run.

    python tests/benchmarks/startup.py [--chunks 10000] [--runs 7] [--large 100000]

Both sides of each ratio are run in turn; the figures are medians. CPU is user plus system seconds
of the whole process. The collection is made of invented Markdown; the model is a server on this
machine that takes 0.3 s a call.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from scripted_server import ScriptedServer, call, shape_asked, text

QUESTION = "What happened at the viaduct in case 17-2?"
CALL_SECONDS = 0.3
WORDS = (
    "signal engine bridge ticket station summit tunnel depot track gauge brake whistle "
    "platform boiler winter summer museum archive workshop safety inspection driver viaduct"
)


class Spent(NamedTuple):
    """Of a whole process: seconds of user and system, seconds, and megabytes at most."""

    cpu: float
    wall: float
    megabytes: float


def spent(command: list[str], environment: dict[str, str]) -> Spent:
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=told)
        _, status, used = os.wait4(process.pid, 0)
        wall, process.returncode = time.perf_counter() - began, os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 3):
            told.seek(0)
            raise SystemExit(f"{command} ended with {process.returncode}: {told.read()}")
    megabytes = used.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    return Spent(used.ru_utime + used.ru_stime, wall, megabytes)


def compare(name: str, ours: list[str], bare: list[str], runs: int, env: dict[str, str]) -> None:
    pairs = [(spent(ours, env), spent(bare, env)) for _ in range(runs)]
    for what in ("cpu", "wall"):
        seconds = [(getattr(one, what), getattr(other, what)) for one, other in pairs]
        mine, theirs = (statistics.median(side) for side in zip(*seconds, strict=True))
        ratio = statistics.median(one / other for one, other in seconds)
        row = f"{f'{name}, {what}':<46} {mine:6.3f} s   bare {theirs:6.3f} s   ratio {ratio:5.2f}"
        print(row, flush=True)


def slow_model() -> ScriptedServer:
    """Every chunk is relevant; the answer cites the first."""
    graded = call({f"document_{number}": {"relevant": True} for number in range(1, 9)})
    answered = text("Nothing that was written down [1].")

    def reply(body: dict[str, object]) -> object:
        time.sleep(CALL_SECONDS)
        return (graded if shape_asked(body) else answered)(body)

    return ScriptedServer(always=reply)


def make_folder(folder: Path, chunks: int) -> None:
    chance = random.Random(7)
    for number in range(chunks // 4):
        paragraphs = [f"# Record {number}"]
        paragraphs += [
            " ".join(chance.choices(WORDS.split(), k=150)).capitalize()
            + f" in case {number}-{part}."
            for part in range(4)
        ]
        file = folder / f"part{number % 20:02d}" / f"record{number:05d}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(paragraphs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--large", type=int, default=0, help="also the memory of so many chunks")
    given = parser.parse_args()
    crag = [sys.executable, "-c", "from cli.main import main; main()"]
    ask = [*crag, "ask", QUESTION, "--max-loops", "3"]
    with tempfile.TemporaryDirectory() as place:
        env = {**os.environ, "CRAG_HOME": str(Path(place) / "home"), "CRAG_ENGINE": "local"}
        typer = [sys.executable, "-c", "import typer"]
        graph = [sys.executable, "-c", "import chromadb, langgraph.graph"]
        client = [sys.executable, "-c", "import chromadb, langgraph.graph, langchain_openai"]
        compare("crag --help", [*crag, "--help"], typer, given.runs, env)
        compare("crag --version", [*crag, "--version"], typer, given.runs, env)
        folder = Path(place) / "folder"
        make_folder(folder, given.chunks)
        subprocess.run([*crag, "ingest", str(folder), "-q"], env=env, check=True)
        name = f"crag ask ({given.chunks:,} chunks)"
        compare(name, ask, graph, given.runs, env)
        with slow_model() as server:
            model = {**env, "CRAG_ENGINE": "openai", "CRAG_BASE_URL": server.url}
            compare(f"{name} with a model", ask, client, given.runs, model)
            calls = len(server.requests) / given.runs
        print(f"of it {calls:.1f} calls of {CALL_SECONDS} s")
        print(f"{'peak memory':<46} {spent(ask, env).megabytes:6.0f} MB")
        if given.large:
            make_folder(folder, given.large)
            subprocess.run([*crag, "ingest", str(folder), "-q"], env=env, check=True)
            print(
                f"{f'peak memory ({given.large:,} chunks)':<46} {spent(ask, env).megabytes:6.0f} MB"
            )


if __name__ == "__main__":
    main()
