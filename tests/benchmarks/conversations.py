"""Are the turns of a conversation answered, and are its follow-ups found?

    python tests/benchmarks/conversations.py --data FOLDER [--home HOME] [--turns]
        [--server http://127.0.0.1:8080/v1 --model qwen]

FOLDER holds sets, each with conversations.jsonl and files/. A turn has `text`, `standalone` (a
person's rewriting), `answers`, `relevant` and `answerable`: null for small talk. A turn is right
where the answer holds one of `answers` (blanks alike) and cites a relevant file, and, where
nothing can be answered, where nothing is cited. Each turn is asked with the conversation as it
went, of the local engine or of the server's model. Beside it, of the follow-ups alone: a relevant
file among the ten best chunks, and an answer
in a relevant file among the three best, for the turn as typed, as understood, and by the person.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from rag.embed.builtin import BuiltinEmbedder  # noqa: E402
from rag.ingest.sync import ingest  # noqa: E402
from rag.session import Session, open_session  # noqa: E402
from state.answer import Answer  # noqa: E402
from state.passages import HistoryTurn  # noqa: E402
from state.settings import load_settings  # noqa: E402

DEEP, SHOWN = 10, 3


def one_line(text: str) -> str:
    return " ".join(text.split())


def holds(text: str, answers: list[str]) -> bool:
    return any(one_line(answer) in one_line(text) for answer in answers)


def is_right(turn: dict[str, Any], answer: Answer) -> bool:
    cited = {citation["source"] for citation in answer["citations"]}
    if not turn["answerable"]:
        return not cited
    answered = answer["status"] != "abstained" and holds(answer["answer"], turn["answers"])
    return answered and any(source in turn["relevant"] for source in cited)


def found(session: Session, query: str, turn: dict[str, Any]) -> tuple[bool, bool]:
    """Whether a query finds a relevant file, and an answer."""
    hits = session.reader.search(query, DEEP)
    relevant = [hit for hit in hits if hit["source"] in turn["relevant"]]
    shown = [hit for hit in hits[:SHOWN] if hit in relevant]
    return bool(relevant), any(holds(hit["text"], turn["answers"]) for hit in shown)


def as_history(answer: Answer, number: int) -> HistoryTurn:
    return {
        "question": answer["question"],
        "standalone_question": answer["standalone_question"],
        "answer": answer["answer"],
        "turn": number,
        "milestone": False,
    }


def converse(
    session: Session, turns: list[dict[str, Any]], counts: Counter[str], *, tell: bool
) -> None:
    history: list[HistoryTurn] = []
    for number, turn in enumerate(turns, 1):
        answer = session.ask(turn["text"], history=history)
        history.append(as_history(answer, number))
        right = is_right(turn, answer)
        kind = {True: "answerable", False: "unanswerable", None: "small talk"}[turn["answerable"]]
        counts[kind] += 1
        counts[f"{kind}, right"] += right
        if tell:
            mark = "+" if right else "-"
            print(f"{mark} {answer['status']:9} {answer['standalone_question']}")
        if number == 1 or not turn["answerable"]:
            continue
        counts["follow-ups"] += 1
        for how, query in (
            ("typed", turn["text"]),
            ("understood", answer["standalone_question"]),
            ("by hand", turn["standalone"]),
        ):
            for what, is_found in zip(("file", "answer"), found(session, query, turn), strict=True):
                counts[f"{how}, {what}"] += is_found


def measure(folder: Path, home: Path, engine: Mapping[str, Any], *, tell: bool) -> Counter[str]:
    settings = load_settings({"home": home, "collection": folder.name, **engine})
    ingest(settings, BuiltinEmbedder(), [str(folder / "files")])
    counts: Counter[str] = Counter()
    lines = (folder / "conversations.jsonl").read_text(encoding="utf-8").splitlines()
    with open_session(settings, keep_traces=False) as session:
        for line in lines:
            converse(session, json.loads(line)["turns"], counts, tell=tell)
    return counts


def main(data: Path, home: Path, engine: Mapping[str, Any], *, tell: bool) -> None:
    total: Counter[str] = Counter()
    kinds = ("answerable", "unanswerable", "small talk")
    for folder in sorted(file.parent for file in data.glob("*/conversations.jsonl")):
        counts = measure(folder, home, engine, tell=tell)
        total += counts
        right = sum(counts[f"{kind}, right"] for kind in kinds)
        turns = sum(counts[kind] for kind in kinds)
        print(f"{folder.name:<16} {right} of {turns} turns right", flush=True)
    print(", ".join(f"{kind} {total[f'{kind}, right']} of {total[kind]}" for kind in kinds))
    right, turns = sum(total[f"{kind}, right"] for kind in kinds), sum(total[k] for k in kinds)
    print(f"all: {right} of {turns}, {right / max(1, turns):.0%}")
    print(f"of {total['follow-ups']} follow-ups: file in {DEEP}, answer in {SHOWN}")
    for how in ("typed", "understood", "by hand"):
        print(f"  {how:<12} {total[f'{how}, file']:>3} {total[f'{how}, answer']:>3}")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--home", type=Path)
    options.add_argument("--turns", action="store_true", help="each turn as it was understood")
    options.add_argument("--server")
    options.add_argument("--model", default="default")
    given = options.parse_args()
    chosen: dict[str, Any] = {"engine": "local"}
    if given.server is not None:
        chosen = {"engine": "openai", "base_url": given.server, "model": given.model}
        chosen |= {"api_key": "none", "request_timeout": 600.0}
    with tempfile.TemporaryDirectory() as scratch:
        main(given.data, given.home or Path(scratch), chosen, tell=given.turns)
