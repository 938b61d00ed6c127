"""What a conversation costs to keep, and what a correction costs to send.

    python tests/benchmarks/memory.py [--turns 2000] [--data FOLDER]

First the thread store and the checkpoints: time and bytes written of late turns against
early ones, and the disk against the text. Then the tokens of N corrections, sent as
the graph sends them (each grading prompt holds this loop's chunks) and as a message list
that only grows would. FOLDER holds a corpus.jsonl to take chunks from; without one they are
cut from sample_corpus.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from turn_samples import real_looking_answer  # noqa: E402

from rag.engines.openai.prompts import grade_messages  # noqa: E402
from state.history import read_history  # noqa: E402
from state.shared_place import open_checkpoints, open_turn_store  # noqa: E402
from state.tokens import count_tokens  # noqa: E402

K = 8
REPLY = 120  # tokens: what K verdicts and a better query take


def written() -> int:
    """Bytes this process has passed to write(2) and its kin."""
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])


def one_turn(store, checkpoints, number):
    from tiny_graph import build

    store.append("t", real_looking_answer(number))
    history = read_history(store, "t", 4000, count_tokens)
    with checkpoints.turn("t") as saver:
        graph = build().compile(checkpointer=saver)
        config = {"configurable": {"thread_id": "t"}}
        graph.invoke({"question": history[-1]["question"]}, config, durability="exit")


def store_costs(turns: int) -> None:
    seconds, sizes, kept = [], [], []
    text = 0
    with tempfile.TemporaryDirectory() as home, open_turn_store(Path(home)) as store:
        for number in range(turns):
            answer = real_looking_answer(number)
            text += len((answer["question"] + answer["answer"]).encode())
            before, began = written(), time.process_time()
            store.append("t", answer)
            seconds.append(time.process_time() - began)
            sizes.append(written() - before)
        with open_checkpoints(Path(home)) as checkpoints:
            for number in range(60):
                before = written()
                one_turn(store, checkpoints, turns + number)
                kept.append(written() - before)
        disk = sum(file.stat().st_size for file in Path(home).iterdir())
        began = time.perf_counter()
        read_history(store, "t", 4000, count_tokens)
        read = time.perf_counter() - began
    early, late = slice(15, 115), slice(turns - 100, turns)
    print(f"{turns} turns of {text / turns:,.0f} bytes of text")
    print(f"  append, CPU ms       early {1e3 * statistics.median(seconds[early]):.3f}", end="")
    print(f"  late {1e3 * statistics.median(seconds[late]):.3f}", end="")
    print(f"  ratio {statistics.median(seconds[late]) / statistics.median(seconds[early]):.2f}")
    print(f"  append, bytes        early {statistics.mean(sizes[early]):,.0f}", end="")
    print(f"  late {statistics.mean(sizes[late]):,.0f}", end="")
    print(f"  ratio {statistics.mean(sizes[late]) / statistics.mean(sizes[early]):.2f}")
    print(f"  with checkpoint, bytes: turns 20-40 {statistics.mean(kept[20:40]):,.0f}", end="")
    print(f"  turns 40-60 {statistics.mean(kept[40:60]):,.0f}")
    print(f"  disk / text          {disk / text:.2f}")
    print(f"  history read back    {1e3 * read:.1f} ms")


def chunk(number: int, text: str) -> dict:
    return {
        "chunk_id": str(number),
        "source": f"{number}",
        "title": "",
        "heading": "",
        "text": text,
    }


def chunk_texts(data: Path | None, wanted: int) -> list[str]:
    if data is not None:
        lines = (data / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[:wanted]
        return [json.loads(line)["text"] for line in lines]
    files = sorted((ROOT / "sample_corpus").rglob("*.md"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    pieces = [text[start : start + 900] for start in range(0, len(text) - 900, 900)]
    return [pieces[number % len(pieces)] for number in range(wanted)]


def correction_costs(data: Path | None) -> None:
    texts = chunk_texts(data, K * 50)
    steps = []
    for loop in range(50):
        chunks = [chunk(n, texts[n % len(texts)]) for n in range(loop * K, loop * K + K)]
        messages = grade_messages("What is to be found out?", chunks, chunks[:2])
        steps.append(sum(count_tokens(words) for _, words in messages) + REPLY)
    print(f"\ntokens processed over N corrections, {K} new chunks each")
    print("     N  accumulate   overwrite  ratio")
    for n in (1, 5, 10, 20, 50):
        grown = sum(sum(steps[: loop + 1]) for loop in range(n))
        print(f"  {n:>4} {grown:>11,} {sum(steps[:n]):>11,}  {sum(steps[:n]) / grown:.3f}")
    print(f"  per step, overwrite: {min(steps):,} to {max(steps):,}, ", end="")
    print(f"last ten / first ten {sum(steps[40:]) / sum(steps[:10]):.2f}")
    grown = [1000 + 500 * n for n in range(1, 11)]
    print(f"  the seed's model, N=10: {sum(grown):,} against {10 * 1500:,}", end="")
    print(f"; 20 steps of 1,000: {sum(1000 * n for n in range(1, 21)):,}")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--turns", type=int, default=2000)
    options.add_argument("--data", type=Path)
    given = options.parse_args()
    store_costs(given.turns)
    correction_costs(given.data)
