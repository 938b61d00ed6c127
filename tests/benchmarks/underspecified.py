"""Which questions are asked back: those that say too little, and not those that say enough?

    python tests/benchmarks/underspecified.py --data DATA [--home HOME]

DATA holds `mtrag_clapnq`, `real_docs` and `squad2`. Underspecified is a turn of a conversation,
taken without what was said before, that does not find among five documents what a person's own
rewrite of it finds; a second figure is of those whose rewrite has another word for a pronoun.
Specified are the questions of real_docs and squad2. The rule was chosen on the even ones; both
halves are printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from followups import open_index
from real_docs import sources

from rag.embed.builtin import BuiltinEmbedder
from rag.index.collection import open_collection
from rag.index.protocol import CollectionReader
from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.question.followup import PRONOUN
from rag.question.underspecified import choices
from state.settings import Settings

FOUND_AMONG = 5
Asked = tuple[CollectionReader, str]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def finds(reader: CollectionReader, question: str, relevant: Sequence[str]) -> bool:
    found = dict.fromkeys(chunk["source"] for chunk in reader.search(question, 4 * FOUND_AMONG))
    return any(source.endswith(tuple(relevant)) for source in list(found)[:FOUND_AMONG])


def turns(data: Path, readers: dict[str, CollectionReader]) -> Iterator[tuple[Asked, str, list]]:
    """Later turns, each with its rewrite and the documents that answer it."""
    for row in rows(data / "mtrag_clapnq" / "queries.jsonl"):
        if row["history"] and row.get("rewrite") and row["relevant"]:
            yield (readers["mtrag_clapnq"], row["text"]), row["rewrite"], row["relevant"]
    for source in sources(data / "real_docs"):
        for conversation in rows(source.folder / "conversations.jsonl"):
            for turn in conversation["turns"][1:]:
                if turn["standalone"] and turn["relevant"]:
                    asked = readers[source.name], turn["text"]
                    yield asked, turn["standalone"], turn["relevant"]


def lost_pronoun(question: str, rewrite: str) -> bool:
    """Whether the person put a name in the place of every pronoun."""
    return bool(PRONOUN.search(question)) and not PRONOUN.search(rewrite)


def share(name: str, asked: Sequence[Asked]) -> None:
    for half in (0, 1):
        own = asked[half::2]
        back = sum(bool(choices(question, reader)) for reader, question in own)
        kind = "chosen on" if half == 0 else "reported"
        print(f"{name}, {kind}: {back} of {len(own)} asked back ({back / len(own):.1%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        readers: dict[str, CollectionReader] = {
            name: open_index(options.data / name, home) for name in ("mtrag_clapnq", "squad2")
        }
        for source in sources(options.data / "real_docs"):
            settings = Settings(home=home, collection=source.name, engine="local")
            ingest(settings, build_embedder(settings), [str(source.folder / "files")])
            readers[source.name] = open_collection(home, source.name, BuiltinEmbedder())
        lacking = [
            asked
            for asked, rewrite, relevant in turns(options.data, readers)
            if finds(asked[0], rewrite, relevant) and not finds(*asked, relevant)
        ]
        share("finds nothing alone", lacking)
        share(
            "a pronoun was rewritten",
            [
                asked
                for asked, rewrite, _ in turns(options.data, readers)
                if lost_pronoun(asked[1], rewrite)
            ],
        )
        for source in sources(options.data / "real_docs"):
            share(source.name, [(readers[source.name], row["text"]) for row in source.queries])
        squad = rows(options.data / "squad2" / "queries.jsonl")
        share("squad2", [(readers["squad2"], row["text"]) for row in squad])


if __name__ == "__main__":
    main()
