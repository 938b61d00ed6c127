"""Which questions are asked back: those that say too little, and not those that say enough?

    python tests/benchmarks/underspecified.py --data DATA [--home HOME]

DATA holds `hotpotqa_sub`, `mtrag_clapnq`, `real_docs` and `squad2`. Underspecified is a turn of a
conversation, taken without what was said before, that does not find among five documents what a
person's own rewrite of it finds; a second figure is of those whose rewrite has another word for a
pronoun.
A name of several things is one that three articles have, each with something else in brackets
behind it, and none alone; four questions are asked of each. Specified are the questions of
real_docs, squad2 and hotpotqa_sub, and some in which "it" is what three manuals are about, or
nothing. The rule was chosen on the
even ones; both halves are printed. That of names was chosen on all of them.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from followups import open_index
from real_docs import sources

from rag.embed.builtin import BuiltinEmbedder
from rag.index.local_store import LocalStore
from rag.index.protocol import CollectionReader
from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.question.followup import PRONOUN
from rag.question.underspecified import choices
from state.settings import Settings

FOUND_AMONG = 5
NAMESAKES = 3
OF_A_NAME = ("When did {} begin?", "Who made {}?", "What is {} known for?", "Where is {}?")
OF_THE_SUBJECT = {
    "otel": (
        "Does it cost a lot of CPU?",
        "Which languages does it support?",
        "Is it possible to drop spans?",
        "How do I turn it off?",
    ),
    "rust_book": (
        "Why is it so fast?",
        "How do I install it on Windows?",
        "Does it have a garbage collector?",
        "Is it possible to return a closure?",
        "Does it have null?",
    ),
    "sqlite_utils": (
        "Can it read Excel files?",
        "How do I install it?",
        "Does it work on Windows?",
        "Is it possible to insert JSON from a pipe?",
        "Does it support full-text search?",
        "How do I upgrade it?",
    ),
}
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


def named_alike(reader: CollectionReader, corpus: Path) -> Iterator[Asked]:
    """Questions that name what three articles are called, but for what their brackets say."""
    titles = {row["title"] for row in rows(corpus)}
    bare = {title: re.sub(r" \([^()]*\)$", "", title) for title in titles}
    for name, count in sorted(Counter(bare.values()).items()):
        if count >= NAMESAKES and name not in titles:
            yield from ((reader, question.format(name)) for question in OF_A_NAME)


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
            name: open_index(options.data / name, home)
            for name in ("hotpotqa_sub", "mtrag_clapnq", "squad2")
        }
        for source in sources(options.data / "real_docs"):
            settings = Settings(home=home, collection=source.name, engine="local")
            ingest(settings, build_embedder(settings), [str(source.folder / "files")])
            readers[source.name] = LocalStore(home).open_collection(source.name, BuiltinEmbedder())
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
        alike = [
            asked
            for name in ("hotpotqa_sub", "mtrag_clapnq")
            for asked in named_alike(readers[name], options.data / name / "corpus.jsonl")
        ]
        share("a name of several things", alike)
        for source in sources(options.data / "real_docs"):
            share(source.name, [(readers[source.name], row["text"]) for row in source.queries])
        own = [(readers[name], q) for name, every in OF_THE_SUBJECT.items() for q in every]
        share("of the subject", own)
        for name in ("squad2", "hotpotqa_sub"):
            asked = rows(options.data / name / "queries.jsonl")
            share(name, [(readers[name], row["text"]) for row in asked])


if __name__ == "__main__":
    main()
