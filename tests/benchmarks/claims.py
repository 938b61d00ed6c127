"""True and false sentences against their documents: what reaches the person, and as what.

    python tests/benchmarks/claims.py [--part judging|tuning] [--show]

claims.jsonl holds small invented documents of several formats, and sentences on them as a model
writes them. The check was made on the tuning part; of the judging part, on other documents, only
the totals were looked at. The documents are ingested, and each sentence is checked with the
chunks of its own documents, which it names, and the best chunks of others beside them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.citations.check import check
from rag.embed.builtin import BuiltinEmbedder
from rag.engines.openai.claims import read_claims
from rag.index.local_store import LocalStore
from rag.index.protocol import CollectionReader
from rag.ingest.sync import ingest
from state.passages import Passage, RetrievedChunk
from state.settings import load_settings

K = 8


def load(part: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Texts by file name, and the sentences."""
    lines = Path(__file__).with_name("claims.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["part"] == part]
    documents = {row["document"]: row["text"] for row in rows if "document" in row}
    return documents, [row for row in rows if "claim" in row]


def judged(documents: dict[str, str], claims: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Verdict and reason of each sentence."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        files.mkdir()
        for name, text in documents.items():
            (files / name).write_text(text, encoding="utf-8")
        settings = load_settings({"home": Path(folder) / "home"})
        ingest(settings, BuiltinEmbedder(), [str(files)])
        reader = LocalStore(settings.home).open_collection(settings.collection, BuiltinEmbedder())
        try:
            everything = reader.search(" ".join(documents), 1000)
            for claim in claims:
                yield _verdict(claim, everything, reader)
        finally:
            reader.close()


def _verdict(
    claim: dict[str, Any], everything: list[RetrievedChunk], reader: CollectionReader
) -> tuple[str, str]:
    own = [chunk for chunk in everything if Path(chunk["source"]).name in claim["of"]]
    others = [
        c
        for c in reader.search(claim["claim"], K)
        if c["chunk_id"] not in {o["chunk_id"] for o in own}
    ]
    given = [*own, *others][: max(K, len(own))]
    markers = "".join(f"[{number}]" for number in range(1, len(own) + 1))
    text = claim["claim"].rstrip()
    draft = read_claims(
        f"{text[:-1]} {markers}{text[-1]}" if text[-1] in ".?" else f"{text} {markers}"
    )
    checked = check(draft, [_passage(c, n) for n, c in enumerate(given, 1)], reader, given)
    verdicts = {record["verdict"] for record in checked.claims}
    worst = next(
        (v for v in ("contradicted", "unverified", "verified") if v in verdicts), "left out"
    )
    return worst, "; ".join(record["reason"] for record in checked.claims)


def _passage(chunk: RetrievedChunk, number: int) -> Passage:
    whole = {
        name: chunk[name] for name in ("start_char", "end_char", "start_line", "end_line", "text")
    }
    return {
        "number": number,
        "chunk_id": chunk["chunk_id"],
        "source": chunk["source"],
        "title": chunk["title"],
        "heading": chunk["heading"],
        "page": chunk["page"],
        "start_char": chunk["start_char"],
        "end_char": chunk["end_char"],
        "spans": [{**whole, "score": 1.0}],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("judging", "tuning"), default="judging")
    parser.add_argument("--show", action="store_true", help="each sentence with its verdict")
    given = parser.parse_args()
    documents, claims = load(given.part)
    counts: dict[bool, Counter[str]] = defaultdict(Counter)
    for claim, (verdict, reason) in zip(claims, judged(documents, claims), strict=True):
        counts[claim["true"]][verdict] += 1
        if given.show:
            print(claim["true"], verdict, claim["kind"], claim["claim"], reason, sep=" | ")
    true, false = ({v: n / c.total() for v, n in c.items()} for c in (counts[True], counts[False]))
    reach = true.get("verified", 0) + true.get("unverified", 0)
    print(f"{given.part}: {len(documents)} documents")
    print(f"{counts[True].total()} true: {reach:.1%} reach the person;", _shares(true))
    print(f"{counts[False].total()} false:", _shares(false))


def _shares(verdicts: dict[str, float]) -> str:
    return ", ".join(f"{share:.1%} {verdict}" for verdict, share in sorted(verdicts.items()))


if __name__ == "__main__":
    main()
