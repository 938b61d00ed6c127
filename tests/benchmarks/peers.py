"""crag beside other tools: whole processes, the same folder and questions, on one machine.

    python tests/benchmarks/peers.py --url URL [--data FOLDER] [--n 12] [--only NAME ...]

The Markdown files of FOLDER (default: sample_corpus) are ingested twice by each tool of PEERS that
is on PATH; the second time nothing has changed. Then each is asked N questions of its
questions.jsonl that these files answer and N that they do not. Right: an expected string stands in
what is printed; for an absent one, that it is said or nothing is printed. URL speaks OpenAI's
protocol; its calls and tokens are counted on the way. Prints a row of medians and totals each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from scripted_server import Request, ScriptedServer, Sent

HERE = Path(__file__).resolve()
LLM = "export LLM_USER_PATH={home}; "
PQA = "cd {docs} && PQA_HOME={home} pqa -i docs --llm openai/m --summary_llm openai/m"
PQA += " --embedding openai/text-embedding-3-small --agent.agent_llm openai/m"
PQA += (
    " --parsing.use_doc_details false --agent.agent_type fake --agent.index.paper_directory {docs}"
)
QMD = "export XDG_CACHE_HOME={home} QMD_CONFIG_DIR={home}; "
PEERS = {  # program, ingest, ask; {docs}: the folder, {home}: a folder of the tool's own
    "crag": (
        "crag",
        "crag ingest {docs} --home {home} -q",
        "crag ask {question} --home {home} -q",
    ),
    "crag, with the model": (
        "crag",
        "crag ingest {docs} --home {home} -q",
        "crag ask {question} --home {home} --engine openai -q",
    ),
    "llm similar, into a prompt": (
        "llm",
        LLM + "printf -- '- {{model_id: m, model_name: m, api_base: \"%s\"}}' {url}"
        " > {home}/extra-openai-models.yaml;"
        " llm embed-multi docs --files {docs} '**/*.md' --store -m 3-small -d {home}/e.db",
        LLM + "(echo Context:; llm similar docs -n 4 -c {question} -d {home}/e.db)"
        " | llm -m m --no-stream 'Question: '{question}",
    ),
    "the LangGraph tutorial": (
        "tutorial-python",
        "true",
        f"tutorial-python {HERE.with_name('tutorial_crag.py')} {{url}} {{docs}} {{question}}",
    ),
    "paper-qa": ("pqa", PQA + " index {docs}", PQA + " ask {question}"),
    "qmd search": (
        "qmd",
        QMD + "qmd collection add {docs} --name docs >&2 || qmd update >&2",
        QMD + "qmd search {question} -n 3",
    ),
}
ABSENT = re.compile(
    r"cannot answer|don't know|do(es)? not (say|hold|know|contain)|no (sure |matching )?"
    r"(answer|results?)|could not be found|insufficient|^\s*$",
    re.IGNORECASE,
)


class Counted(ScriptedServer):
    """Passes all on to the model's server."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self._passed_to = url

    def answer(self, request: Request) -> Sent:
        url = self._passed_to + request.path.removeprefix("/v1")
        headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
        asked = urllib.request.Request(url, json.dumps(request.body).encode(), headers)
        if "embeddings" not in request.path:
            self.counts["calls"] += 1
            self.counts["tokens"] += len(json.dumps(request.body.get("messages"))) // 4
        with urllib.request.urlopen(asked, timeout=600) as reply:
            return Sent(body=reply.read(), content_type=reply.headers["Content-Type"])


def run(line: str, known: dict[str, Any]) -> tuple[float, str]:
    quoted = {name: shlex.quote(str(value)) for name, value in known.items()}
    environment = {**os.environ, "OPENAI_API_KEY": "none", "CRAG_ENGINE": "local"}
    environment |= {"OPENAI_BASE_URL": known["url"], "OPENAI_API_BASE": known["url"]}
    began = time.perf_counter()
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.format(**quoted)], env=environment,
        capture_output=True, text=True, timeout=900, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode not in (0, 3):
        raise SystemExit(f"{line}: {done.returncode}: {done.stderr[-300:]}")
    return time.perf_counter() - began, done.stdout


def row(name: str, docs: Path, queries: list[dict[str, Any]], server: Counted) -> str:
    _, ingest, ask = PEERS[name]
    with tempfile.TemporaryDirectory() as home:
        known = {"docs": docs, "home": home, "url": server.url}
        took = [run(ingest, known)[0] for _ in range(2)]
        size = sum(file.stat().st_size for file in Path(home).rglob("*") if file.is_file())
        cells = [f"{took[0]:.1f}, {took[1]:.1f} s", f"{size / 1e6:.1f} MB"]
        for answerable in (True, False):
            asked = [query for query in queries if query["answerable"] is answerable]
            server.counts.clear()
            told = [run(ask, {**known, "question": query["text"]}) for query in asked]
            right = [
                any(answer in said for answer in query["answers"])
                if answerable
                else ABSENT.search(said) is not None
                for query, (_, said) in zip(asked, told, strict=True)
            ]
            calls, tokens = (server.counts[what] / len(asked) for what in ("calls", "tokens"))
            long = statistics.median(len(said) for _, said in told)
            seconds = statistics.median(seconds for seconds, _ in told)
            cells.append(f"{sum(right)} of {len(asked)}, {long:.0f} characters, {seconds:.1f} s")
            cells[-1] += f", {calls:.1f} calls, {tokens:,.0f} tokens" if calls else ""
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "sample_corpus")
    parser.add_argument("--n", type=int, default=12)
    parser.add_argument("--only", nargs="*", default=PEERS)
    given = parser.parse_args()
    lines = (given.data / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    alone = [q for q in map(json.loads, lines) if not q["history"]]
    alone = [q for q in alone if all(path.endswith(".md") for path in q["relevant"])]
    kinds = ([q for q in alone if q["answerable"] is kind] for kind in (True, False))
    queries = [query for kind in kinds for query in kind[: given.n]]
    with Counted(given.url) as server, tempfile.TemporaryDirectory() as docs:
        for file in given.data.rglob("*.md"):
            copy = Path(docs, file.relative_to(given.data))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        for name in given.only:
            if shutil.which(PEERS[name][0]) is None:
                print(f"{name}: no {PEERS[name][0]} on PATH", file=sys.stderr)
                continue
            print(row(name, Path(docs), queries, server), flush=True)


if __name__ == "__main__":
    main()
