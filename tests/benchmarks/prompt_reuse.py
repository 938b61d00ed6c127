"""How much of a prompt a llama.cpp server need not read again when a draft is sent back.

    python tests/benchmarks/prompt_reuse.py --server URL --docs DIR [--limit 10]

DIR holds sources, each with `files/` and `queries.jsonl`. Of some questions of each the answer is
asked for as crag does it, then once more with the draft and a claim of it that is said to be
wrong: the share of the second prompt's tokens that the server says it kept, by its own count.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from real_docs import opened, sources

from rag.engines.openai.prompts import Messages, generate_messages
from rag.evidence.refine import SHOWN_TO_A_MODEL, refine
from rag.question.parts import read_parts

SEARCHED = 8
TIMEOUT = 900.0


def reply_to(server: str, messages: Messages) -> dict[str, Any]:
    said = [{"role": role, "content": text} for role, text in messages]
    body = json.dumps({"messages": said, "temperature": 0, "max_tokens": 60}).encode()
    request = Request(f"{server}/chat/completions", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=TIMEOUT) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=10, help="questions of each source")
    wanted = parser.parse_args()
    kept = read = 0
    for source in sources(wanted.docs):
        with TemporaryDirectory() as home, opened(source, Path(home)) as session:
            for query in random.Random(7).sample(list(source.queries), wanted.limit):
                question, reader = query["text"], session.reader
                parsed = [part.question for part in read_parts(question, reader)]
                found = reader.search(question, SEARCHED)
                passages = refine(parsed, found, reader, SHOWN_TO_A_MODEL)
                first = reply_to(wanted.server, generate_messages(question, passages, []))
                draft = first["choices"][0]["message"]["content"]
                again = generate_messages(question, passages, [f"{draft} (not so)"], draft)
                timings = reply_to(wanted.server, again)["timings"]
                kept += timings["cache_n"]
                read += timings["prompt_n"]
        print(f"{source.name}: {kept / (kept + read):.0%} of {kept + read:,} tokens kept so far")


if __name__ == "__main__":
    main()
