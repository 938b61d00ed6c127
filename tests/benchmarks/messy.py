"""Reads every file of a folder of hostile documents: outcome, characters and seconds of each.

python tests/benchmarks/messy.py --data DIR [--show NAME] [--search]

With --search the folder is ingested, and stretches of ten words of every text that was read are
searched: a file is found again when all four of its stretches bring it up among ten results.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from whole_document import Document, read_document

from rag.index.local_store import LocalStore
from rag.index.stores import store_of
from rag.ingest.sync import ingest
from rag.opening import build_embedder
from state.errors import DocumentError, UnsupportedFormatError
from state.settings import load_settings


def outcome(path: Path) -> tuple[str, str, Document | None]:
    try:
        document = read_document(path, path.name)
    except UnsupportedFormatError as error:
        return "skipped", error.message, None
    except DocumentError as error:
        return "failed", error.message, None
    return "read", "; ".join(document.warnings), document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--show", help="print the text of the files whose path holds this")
    parser.add_argument("--search", action="store_true")
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.data.rglob("*") if path.is_file())
    counts: dict[str, int] = {}
    texts: dict[Path, str] = {}
    slowest = 0.0
    for path in files:
        shown = str(path.relative_to(arguments.data))
        if arguments.show and arguments.show not in shown:
            continue
        started = time.perf_counter()
        state, note, document = outcome(path)
        seconds = time.perf_counter() - started
        slowest = max(slowest, seconds)
        counts[state] = counts.get(state, 0) + 1
        if document:
            texts[path] = document.text
        kind = document.format if document else "-"
        size = len(document.text) if document else 0
        print(f"{state:8}{kind:10}{size:>9}{seconds:7.2f} s  {shown[-60:]}  {note[:110]}")
        if arguments.show and document:
            sys.stdout.write(f"--- {document.title}\n{document.text}\n---\n")
    total = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    print(f"{sum(counts.values())} files: {total}; slowest {slowest:.2f} s")
    if arguments.search:
        again = found_again(arguments.data, texts)
        print(f"found again by search: {again} of {len(texts)}")


def found_again(folder: Path, texts: dict[Path, str]) -> int:
    dice = random.Random(0)
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings({"home": home})
        embedder = build_embedder(settings)
        ingest(settings, embedder, [str(folder)])
        found = 0
        with closing(
            LocalStore(settings.home).open_collection(settings.collection, embedder)
        ) as reader:
            names = {
                each.path: each.source
                for each in store_of(settings).require_inventory(settings.collection).documents
            }
            for path, text in texts.items():
                words = text.split()
                starts = [dice.randrange(max(1, len(words) - 9)) for _ in range(4)]
                queries = [" ".join(words[start : start + 10])[:1_000] for start in starts]
                missed = [
                    query
                    for query in queries
                    if names[str(path.resolve())]
                    not in {chunk["source"] for chunk in reader.search(query, 10)}
                ]
                found += not missed
                if missed:
                    print(f"not found: {path.name}: {missed[0][:100]}")
    return found


if __name__ == "__main__":
    main()
