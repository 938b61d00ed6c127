"""Reads every file of a folder of hostile documents: outcome, characters and seconds of each.

python tests/benchmarks/messy.py --data DIR [--show NAME]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from rag.documents.registry import read_document
from state.documents import Document
from state.errors import DocumentError, UnsupportedFormatError


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
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.data.rglob("*") if path.is_file())
    counts: dict[str, int] = {}
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
        kind = document.format if document else "-"
        size = len(document.text) if document else 0
        print(f"{state:8}{kind:10}{size:>9}{seconds:7.2f} s  {shown[-60:]}  {note[:110]}")
        if arguments.show and document:
            sys.stdout.write(f"--- {document.title}\n{document.text}\n---\n")
    total = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    print(f"{sum(counts.values())} files: {total}; slowest {slowest:.2f} s")


if __name__ == "__main__":
    main()
