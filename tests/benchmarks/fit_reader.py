"""Fits what the grader goes by where the reader reads, on documentations with questions.

    python tests/benchmarks/fit_reader.py --docs DIR... --home DIR [--write]

Whether what is shown answers, of questions in one part; judged on each source with what was fitted
and the line that was drawn on the others. The user's home or this one holds the weights.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fit_grader import FILE, IN_DOMAIN_FROM, logistic, write
from real_docs import Source, is_of, opened, sources
from shown import holds_all

from rag.engines.local.grade import answer_features
from rag.engines.local.grader_model import Logistic
from rag.index.language import reading_for
from rag.question.parts import OUT_OF_DOMAIN, read_parts
from rag.reading.reranker import Reranker
from rag.reading.snippets import shown_snippets
from rag.session import Session
from state.passages import QuestionPart

FEATURES = ("judged", "margin")
UNSURE = 0.3
"""Of the answerable questions that the line is drawn on, those that may be left unsure: of theirs,
which share few words with the answers, what is shown is right for two in three. With it a quarter
of the questions in docs/measured.md is left unsure. The line is moved to where the collection is
said to know of the matter without a reader.
"""
LOST = 0.02
"""Of what is right, that which may not be shown at all: the line below which nothing is near is
moved to where it stands without a reader.
"""


@dataclass(frozen=True, slots=True)
class Shown:
    source: str
    features: dict[str, float]
    answerable: bool
    right: bool


def measured(source: Source, home: Path) -> list[Shown]:
    """A row a question."""
    rows, reranker = [], Reranker(home)
    with opened(source, home) as session:
        for query in source.queries:
            with reading_for(session.reader, query["text"]):
                parts = read_parts(query["text"], session.reader)
                if len(parts) == 1:
                    rows.append(_shown(source.name, query, parts[0], session, reranker))
    return rows


def _shown(
    source: str, query: dict[str, Any], part: QuestionPart, session: Session, reranker: Reranker
) -> Shown:
    hits = session.reader.search(part["question"]["text"], session.settings.k)
    found = shown_snippets(part["question"], hits, reranker, session.reader)
    features = answer_features(part, hits, reranker)
    of_file = "must" in query or any(is_of(each["source"], query) for each in found)
    known = bool(query["answerable"])
    said = "\n".join(each["shown"] for each in found)
    return Shown(source, features, known, known and of_file and holds_all(said, query))


def fitted(rows: Sequence[Shown]) -> dict[str, Any]:
    table = [row.features for row in rows]
    found = logistic(table, FEATURES, [row.right for row in rows], [1.0] * len(rows))
    logits = np.array([_logit(Logistic(**found).probability(row.features)) for row in rows])
    line = np.quantile(logits[[row.answerable for row in rows]], UNSURE)
    near = np.quantile(logits[[row.right for row in rows]], LOST)
    steeper = (_logit(IN_DOMAIN_FROM) - _logit(OUT_OF_DOMAIN)) / (line - near)
    moved = _logit(IN_DOMAIN_FROM) + steeper * (found["intercept"] - line)
    weights = {key: round(steeper * weight, 5) for key, weight in found["weights"].items()}
    return {"intercept": round(moved, 5), "weights": weights, "threshold": IN_DOMAIN_FROM}


def _logit(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, nargs="+", required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    every = [each for folder in given.docs for each in sources(folder)]
    rows = [row for source in every for row in measured(source, given.home)]
    told: list[Shown] = []
    for source in sorted({row.source for row in rows}):
        model = Logistic(**fitted([row for row in rows if row.source != source]))
        held_out = [row for row in rows if row.source == source]
        told += [row for row in held_out if model.probability(row.features) >= model.threshold]
    answerable, own = (sum(row.answerable for row in some) for some in (told, rows))
    print(
        f"held out: told {len(told)} of {len(rows)},"
        f" right {sum(row.right for row in told)}; answerable told {answerable} of {own}"
    )
    if given.write:
        write({**json.loads(FILE.read_text(encoding="utf-8")), "reader": fitted(rows)})


if __name__ == "__main__":
    main()
