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
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from scripted_server import ScriptedServer, call, shape_asked, text

QUESTION = "What happened at the viaduct in case 17-2?"
CALL_SECONDS = 0.3
WORDS = (
    "signal engine bridge ticket station summit tunnel depot track gauge brake whistle "
    "platform boiler winter summer museum archive workshop safety inspection driver viaduct"
)


def run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr}")


def cpu(command: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wall(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    run(command, environment)
    return time.perf_counter() - began


def compare(
    name: str,
    ours: list[str],
    bare: list[str],
    runs: int,
    env: dict[str, str],
    measure: Callable[[list[str], dict[str, str]], float] = cpu,
) -> None:
    pairs = [(measure(ours, env), measure(bare, env)) for _ in range(runs)]
    mine, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"{name:<46} {mine:6.3f} s   bare {theirs:6.3f} s   ratio {ratio:5.2f}", flush=True)


def peak(command: list[str], environment: dict[str, str]) -> float:
    """Megabytes at most, told by a process that has no other child."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, *command],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(told.stdout) / (1024**2 if sys.platform == "darwin" else 1024)


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
        compare("crag --help, CPU", [*crag, "--help"], typer, given.runs, env)
        compare("crag --version, CPU", [*crag, "--version"], typer, given.runs, env)
        folder = Path(place) / "folder"
        make_folder(folder, given.chunks)
        subprocess.run([*crag, "ingest", str(folder), "-q"], env=env, check=True)
        name = f"crag ask ({given.chunks:,} chunks)"
        compare(f"{name}, CPU", ask, graph, given.runs, env)
        compare(f"{name}, wall", ask, graph, given.runs, env, wall)
        with slow_model() as server:
            model = {**env, "CRAG_ENGINE": "openai", "CRAG_BASE_URL": server.url}
            compare(f"{name} with a model, CPU", ask, client, given.runs, model)
            before = len(server.requests)
            compare(f"{name} with a model, wall", ask, client, given.runs, model, wall)
            calls = (len(server.requests) - before) / given.runs
        print(f"of it {calls:.1f} calls of {CALL_SECONDS} s")
        print(f"{'peak memory':<46} {peak(ask, env):6.0f} MB")
        if given.large:
            make_folder(folder, given.large)
            subprocess.run([*crag, "ingest", str(folder), "-q"], env=env, check=True)
            print(f"{f'peak memory ({given.large:,} chunks)':<46} {peak(ask, env):6.0f} MB")


if __name__ == "__main__":
    main()
