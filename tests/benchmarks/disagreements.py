"""How often two files that differ in one number are said to disagree, and others falsely.

    python tests/benchmarks/disagreements.py --data DATA [--questions 60]

DATA holds `squad2`. A question's answer is a number in a sentence; a second file has that sentence
among others, with another number (half of the time) or the same one.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session
from rag.text.blocks import blocks_of_text
from rag.text.sentences import block_sentences
from state.settings import Settings

_NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]\d|\w)")


def sentence_of(text: str, answer: str) -> str | None:
    """The sentence that the answer stands in, where it stands in one only."""
    found = [
        text[start:end]
        for block in blocks_of_text(text)
        for start, end in block_sentences(text, block, 0)
        if answer in text[start:end]
    ]
    return found[0] if len(found) == 1 else None


def drawn(folder: Path, most: int) -> list[tuple[str, str, str]]:
    """(question, paragraph, sentence with its answer, which has a number)."""
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()
    ]
    Random(5).shuffle(rows)
    found = []
    for row in rows:
        answers = [a for a in row.get("answers") or [] if _NUMBER.search(a)]
        text = texts[row["context_doc"]] if row["answerable"] and answers else ""
        if text and (sentence := sentence_of(text, answers[0])):
            found.append((row["text"], text, sentence))
    return found[:most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    asked = drawn(options.data / "squad2", options.questions)
    for changed in (True, False):
        both = said = 0
        for number, (question, text, sentence) in enumerate(asked):
            with TemporaryDirectory() as folder:
                root = Path(folder)
                other = _NUMBER.sub(lambda n: str(int(n.group()) + 3), sentence, count=0)
                beside = asked[(number + 1) % len(asked)][1]
                (root / "files").mkdir()
                (root / "files" / "one.txt").write_text(text, encoding="utf-8")
                (root / "files" / "two.txt").write_text(
                    f"{beside}\n\n{other if changed else sentence}\n", encoding="utf-8"
                )
                settings = Settings(home=root / "home", engine="local")
                ingest(settings, build_embedder(settings), [str(root / "files")])
                with open_session(settings, keep_traces=False) as session:
                    answer = session.ask(question)
            places = {
                citation["source"]
                for citation in answer["citations"]
                if sentence in citation["passage"] or other in citation["passage"]
            }
            both += len(places) > 1
            said += any(warning.startswith("Sources disagree") for warning in answer["warnings"])
        kind = "another number" if changed else "the same number"
        print(f"{kind}: {len(asked)} asked, both places cited {both}, said to disagree {said}")


if __name__ == "__main__":
    main()
