"""Fits what the grader goes by where the reader reads, on documentations with questions.

    python tests/benchmarks/fit_reader.py --docs DIR... --home DIR [--write]

Whether the documents answer, of questions in one part; judged on each source, by whether what is
shown there is right, with what was fitted and the line that was drawn on the others. The user's
home or this one holds the reader's weights; without those of the cross-encoder what stands in for
it is fitted.
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

from rag.engines.local.grade import Pool, answer_features
from rag.engines.local.grader_model import Logistic
from rag.index.vocabulary import reading_for
from rag.question.parts import read_parts
from rag.reading.reranker import Reranker
from rag.reading.snippets import shown_snippets

FEATURES = {"reader": ("likeness", "covered", "lead")}
FEATURES["judge"] = (*FEATURES["reader"], "judged")
"""With the question's length 70 % of what is told is right on sources left out, not 65 %, but half
of the short questions that newcomers ask of docs/ are left unsure, though rightly answered."""
UNSURE = 0.23
"""Of the answerable questions that the line is drawn on, those that may be left unsure. The line is
moved to where the collection is said to know of the matter without a reader.
"""


@dataclass(frozen=True, slots=True)
class Shown:
    source: str
    features: dict[str, float]
    answerable: bool
    right: bool


def measured(source: Source, home: Path) -> list[Shown]:
    rows, reranker = [], Reranker(home)
    with opened(source, home) as session:
        for query in source.queries:
            with reading_for(session.reader, query["text"]):
                parts = read_parts(query["text"], session.reader)
                if len(parts) > 1:
                    continue
                hits = session.reader.search(parts[0]["question"]["text"], session.settings.k)
                found = shown_snippets([parts[0]["question"]], hits, reranker, session.reader)
                pool = Pool.of(parts[0]["question"], parts[0]["pool"])
                features = answer_features(pool, hits, reranker)
            cited = [each["located"] for each in found]
            right = holds_all("\n".join(each["shown"] for each in cited), query)
            of_file = "must" in query or any(is_of(each["source"], query) for each in cited)
            known = bool(query["answerable"])
            rows.append(Shown(source.name, features, known, known and right and of_file))
    return rows


def fitted(rows: Sequence[Shown], name: str) -> dict[str, Any]:
    table = [row.features for row in rows]
    found = logistic(table, FEATURES[name], [row.answerable for row in rows], [1.0] * len(rows))
    model = Logistic(**found)
    own = [model.probability(row.features) for row in rows if row.answerable]
    line = float(np.quantile(own, UNSURE))
    moved = found["intercept"] + _logit(IN_DOMAIN_FROM) - _logit(line)
    return {**found, "intercept": round(moved, 5), "threshold": IN_DOMAIN_FROM}


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
    name = "judge" if Reranker(given.home).judges else "reader"
    told: list[Shown] = []
    for source in sorted({row.source for row in rows}):
        model = Logistic(**fitted([row for row in rows if row.source != source], name))
        held_out = [row for row in rows if row.source == source]
        told += [row for row in held_out if model.probability(row.features) >= model.threshold]
    answerable, own = (sum(row.answerable for row in some) for some in (told, rows))
    print(
        f"{name}, held out: told {len(told)} of {len(rows)},"
        f" right {sum(row.right for row in told)}; answerable told {answerable} of {own}"
    )
    if given.write:
        write({**json.loads(FILE.read_text(encoding="utf-8")), name: fitted(rows, name)})


if __name__ == "__main__":
    main()
