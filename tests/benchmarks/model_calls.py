"""Calls, wall time, prompt tokens and client work with a model, beside the usual tutorial's.

    python tests/benchmarks/model_calls.py [--data FOLDER] [--n 5]

The model is model_server.py's. FOLDER holds Markdown files and a questions.jsonl as
sample_corpus does; questions are taken from it, answerable and absent ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(Path(__file__).parent)]
K = 4


class Server:
    def __init__(self, url: str) -> None:
        self.url = url

    def _get(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        data = json.dumps(body or {}).encode()
        with urllib.request.urlopen(f"{self.url}/{path}", data) as reply:
            return json.load(reply)

    def configure(self, **values: Any) -> None:
        self._get("config", values)

    def measured(self, act: Callable[[], Any]) -> dict[str, Any]:
        self._get("reset")
        start = time.perf_counter()
        result = act()
        wall = time.perf_counter() - start
        stats = self._get("stats")
        counts = {"calls": stats["chat"], "tokens": stats["prompt_tokens"]}
        return {"wall": wall, "result": result, **counts}


@contextmanager
def running() -> Iterator[Server]:
    program = Path(__file__).with_name("model_server.py")
    process = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    try:
        yield Server(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait(10)


def cpu_ms(act: Callable[[], Any], times: int = 60) -> float:
    """Process CPU of one `act`, the best of three rounds."""
    for _ in range(3):
        act()
    rounds = []
    for _ in range(3):
        start = time.process_time()
        for _ in range(times):
            act()
        rounds.append((time.process_time() - start) / times * 1000)
    return min(rounds)


def table(server: Server, tutorial: Any, ours: dict[str, Any], cases: dict[str, list[str]]) -> None:
    print(f"\n{'case':11} {'who':22} {'calls':>6} {'most':>4} {'wall s':>7} {'tokens':>7}")
    for case, questions in cases.items():
        base: dict[str, float] = {}
        for name, ask in {"tutorial": tutorial.ask, **ours}.items():
            rows = [server.measured(partial(ask, question)) for question in questions]
            row = {
                key: sum(r[key] for r in rows) / len(rows) for key in ("calls", "wall", "tokens")
            }
            base = base or row
            most = max(r["calls"] for r in rows)
            print(f"{case:11} {name:22} {row['calls']:6.1f} {most:4}", end=" ")
            print(f"{row['wall']:7.2f} {row['tokens']:7.0f}", end="   ")
            wall, tokens = row["wall"] / base["wall"], row["tokens"] / base["tokens"]
            print(f"ratios: wall {wall:.2f}, tokens {tokens:.2f}")


def conversation(server: Server, tutorial: Any, session: Any, questions: list[str]) -> None:
    print("\nprompt tokens of each turn of a conversation (history budget 300 tokens)")
    said, theirs, mine = "", [], []
    for question in questions:
        row = server.measured(partial(tutorial.ask, question, said))
        said += f"Q: {question}\nA: {row['result']}\n"
        theirs.append(int(row["tokens"]))
    for question in questions:
        row = server.measured(partial(session.ask, question, thread="bench"))
        mine.append(int(row["tokens"]))
    print("tutorial", *theirs)
    print("crag    ", *mine)


def asked_of(text: str) -> str:
    """A question that the text answers, by its own words."""
    sentence = max(text.split(". ")[1:-1], key=len)
    return f"Is it so that {' '.join(sentence.split())}?"


def document_of(text: str) -> dict[str, Any]:
    excerpt = {"text": text, "start_char": 0, "end_char": len(text), "heading": "", "blocks": []}
    return {"number": 1, "title": "t", "source": "s", "excerpts": [excerpt]}


def client_work(tutorial: Any, engine: Any, text: str) -> None:
    from grade_memory import GradeMemory

    from rag.budget import Budget
    from rag.engines.openai.openai_engine import OpenAIEngine
    from rag.engines.protocol import GenerateRequest, GradeRequest

    question = asked_of(text)
    chunk = {"chunk_id": "c", "source": "s", "title": "t", "heading": "", "text": text, "loop": 0}
    request = GenerateRequest(question, (), (), (), context=[document_of(text)])
    plain: OpenAIEngine = engine.for_question(Budget(), streamed=False)

    def grade() -> None:
        fresh = OpenAIEngine(
            plain.chat, replace(plain.grading, cache=GradeMemory()), plain.claims, plain.local
        )
        fresh.grade(GradeRequest(question, (), question, [chunk], {}, [chunk], may_rewrite=True))

    rows = {
        "grading call": (
            cpu_ms(lambda: tutorial.grader.invoke({"question": question, "document": text})),
            cpu_ms(grade),
        ),
        "answering call": (
            cpu_ms(
                lambda: tutorial.answerer.invoke(
                    {"question": question, "context": text, "history": ""}
                )
            ),
            cpu_ms(lambda: plain.generate(request, lambda _: None)),
        ),
        "answering call, streamed": (
            cpu_ms(
                lambda: list(
                    tutorial.answerer.stream({"question": question, "context": text, "history": ""})
                )
            ),
            cpu_ms(lambda: engine.generate(request, lambda _: None)),
        ),
    }
    print("\nclient CPU a call, ms, at latency 0")
    for name, (theirs, mine) in rows.items():
        print(f"{name:26} tutorial {theirs:6.2f}  crag {mine:6.2f}  ratio {mine / theirs:.2f}")


def _until_emitted(engine: Any, request: Any) -> float:
    start = time.perf_counter()
    seen: list[float] = []
    engine.generate(request, lambda _: seen.append(time.perf_counter()))
    return seen[0] - start


def first_token(server: Server, engine: Any, text: str) -> None:
    """Milliseconds to the first token: read off the socket, and as the engine emits it."""
    from rag.engines.protocol import GenerateRequest

    server.configure(ttft_ms=200, tokens_per_s=50)
    question = asked_of(text)
    request = GenerateRequest(question, (), (), (), context=[document_of(text)])
    bare, ours = [], []
    content = [{"role": "user", "content": f"<document>{text}</document>\nQuestion: {question}"}]
    body = json.dumps({"model": "m", "stream": True, "messages": content}).encode()
    for _ in range(10):
        start = time.perf_counter()
        headers = {"Content-Type": "application/json"}
        call = urllib.request.Request(f"{server.url}/chat/completions", body, headers)
        with urllib.request.urlopen(call) as reply:
            for line in reply:
                if b'"content": "' in line and b'"content": ""' not in line:
                    break
        bare.append(time.perf_counter() - start)
        ours.append(_until_emitted(engine, request))
    server.configure(ttft_ms=0, tokens_per_s=0)
    middle = sorted(bare)[5] * 1000, sorted(ours)[5] * 1000
    print(f"\nfirst token: server {middle[0]:.0f} ms, crag {middle[1]:.0f} ms,", end=" ")
    print(f"added {middle[1] - middle[0]:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "sample_corpus")
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--latency-ms", type=float, default=300)
    given = parser.parse_args()

    rows = [json.loads(x) for x in (given.data / "questions.jsonl").read_text().splitlines()]
    files = {p: p.read_text() for p in sorted(given.data.rglob("*.md"))}
    in_files = [r for r in rows if all(x.endswith(".md") for x in r["relevant"])]
    answerable = [r["text"] for r in in_files if r["answerable"] and not r["history"]]
    absent = [r["text"] for r in rows if not r["answerable"]]
    cases = {"answerable": answerable[: given.n], "absent": absent[: given.n]}

    with tempfile.TemporaryDirectory() as home, running() as server:
        os.environ["CRAG_HOME"] = home
        command = [sys.executable, "-m", "cli", "ingest", str(given.data), "--include", "*.md"]
        subprocess.run([*command, "--quiet"], cwd=ROOT, check=True)

        from tutorial_crag import Tutorial

        from rag.index.catalog import connect
        from rag.session import open_session
        from state.settings import Settings

        def forgetful(session: Any) -> Callable[[str], Any]:
            def ask(question: str) -> Any:
                with closing(connect(Path(home))) as catalog:
                    catalog.execute("DELETE FROM grades")
                return session.ask(question)

            return ask

        remote = {"home": home, "base_url": server.url, "model": "gpt-4o-mini"}
        sessions = {
            "crag k=4 grader auto": open_session(Settings(**remote, k=K)),
            "crag k=4 grader model": open_session(Settings(**remote, k=K, grader="model")),
            "crag k=8 grader auto": open_session(Settings(**remote)),
        }
        ours = {name: forgetful(session) for name, session in sessions.items()}
        ours["crag k=4 asked again"] = sessions["crag k=4 grader auto"].ask
        tutorial = Tutorial.over(server.url, list(files.values()), k=K)
        for ask in (tutorial.ask, *ours.values()):
            ask(cases["answerable"][0])  # imports, clients, indexes: paid before measuring
        server.configure(latency_ms=given.latency_ms)
        table(server, tutorial, ours, cases)
        server.configure(latency_ms=0)
        talk = open_session(Settings(**remote, k=K, history_tokens=300))
        conversation(server, tutorial, talk, (answerable * 10)[:10])
        text = next(iter(files.values()))[:1000]
        engine = sessions["crag k=4 grader model"].engine
        client_work(tutorial, engine, text)
        first_token(server, engine, text)


if __name__ == "__main__":
    main()
