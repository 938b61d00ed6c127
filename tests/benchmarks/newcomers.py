"""What a newcomer asks of the tool's own documentation, answered in the first snippet.

    python tests/benchmarks/newcomers.py HOME

HOME holds the reader's weights (`CRAG_HOME=HOME crag model get`), or none to see it without.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from real_docs import holds, one_line

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session
from state.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def main(home: Path) -> None:
    settings = Settings(home=home, engine="local")
    ingest(settings, build_embedder(settings), [str(ROOT / "docs"), str(ROOT / "README.md")])
    questions = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    right = 0
    with open_session(settings, keep_traces=False) as session:
        for query in map(json.loads, questions):
            first = session.ask(query["text"])["answer"].split("[1]")[0]
            answered = holds(first, query)
            right += answered
            print("+" if answered else "-", query["text"], "|", one_line(first)[:100])
    print(f"{right} of {len(questions)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
