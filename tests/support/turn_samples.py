"""Finished turns for tests: whole answers with as much or as little text as asked for."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

from rag.dependencies import new_answer
from rag.embed.protocol import EmbedderIdentity
from state.answer import Answer
from state.settings import Settings

_TEXT = """
court evidence act record section electronic criminal civil proof statement document
witness certificate computer admissible printed ordinary course original signature judge
hearing appeal order party notice period days filing clause contract term breach damages
"""
WORDS = tuple(_TEXT.split())


def sentence(rng: random.Random, length: int) -> str:
    words: list[str] = []
    while sum(map(len, words)) + len(words) < length:
        words.append(rng.choice(WORDS) + rng.choice(("", "", "", str(rng.randrange(9999)))))
    return " ".join(words)[:length]


def make_answer(
    question: str = "What is kept?", answer: str = "Everything. [1]", **other
) -> Answer:
    engine: Any = SimpleNamespace(name="local", model=None)
    embedder = SimpleNamespace(identity=EmbedderIdentity("builtin", 256, "1"))
    reader: Any = SimpleNamespace(embedder=embedder)
    made = new_answer(question, engine, reader, Settings(max_loops=3), None, "0" * 26)
    known: Answer = {**made, "status": "answered", "answer": answer, "timings_ms": {"total": 12.5}}
    known.update(other)
    return known


def real_looking_answer(seed: int, text_bytes: int = 1500) -> Answer:
    """A turn whose question and answer have `text_bytes` together, with two loops of eight
    graded chunks and three quotes taken from the answer, as a real one has.
    """
    rng = random.Random(seed)
    question = sentence(rng, 80)
    answer = sentence(rng, text_bytes - 80)
    quotes = [answer[i * 300 : i * 300 + 200] for i in range(3)]
    return make_answer(
        question,
        answer,
        citations=[
            {
                "marker": i + 1,
                "source": f"acts/{rng.choice(WORDS)}-{rng.randrange(50)}.md",
                "title": rng.choice(WORDS),
                "page": None,
                "anchor": None,
                "start_line": rng.randrange(900),
                "end_line": rng.randrange(900),
                "start_char": rng.randrange(90000),
                "end_char": rng.randrange(90000),
                "chunk_id": f"{rng.getrandbits(64):016x}",
                "quote": quote,
                "passage": quote,
                "support": "verbatim",
            }
            for i, quote in enumerate(quotes)
        ],
        loops=[
            {
                "loop": loop,
                "query": sentence(rng, 60),
                "new_chunks": 4,
                "decision": "generate" if loop else "transform_query",
                "reason": "enough is known" if loop else "nothing relevant yet",
                "chunks": [
                    {
                        "chunk_id": f"{rng.getrandbits(64):016x}",
                        "source": f"acts/{rng.choice(WORDS)}-{rng.randrange(50)}.md",
                        "score": round(rng.random(), 4),
                        "relevant": rng.random() < 0.5,
                        "confidence": round(rng.random(), 3),
                        "reason": None,
                    }
                    for _ in range(4)
                ],
            }
            for loop in range(2)
        ],
        trace_id=f"{rng.getrandbits(96):024x}",
        timings_ms={node: rng.random() * 90 for node in ("total", "retrieve", "generate")},
    )
