"""Can the grader tell a question whose answer is not there, though all around it is?

    python tests/benchmarks/near_misses.py --docs DIR

DIR is a set of `real_docs`. Each answerable question is graded twice: as it stands, and with every
chunk that holds one of its expected strings kept from it, which makes a near miss of it. Told is
how often the two are told apart by a score (AUC: .5 is by chance), and how many are refused by the
thresholds that are shipped; the grader has seen these questions in its fit.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from real_docs import holds, opened, sources

from rag.embed.builtin import builtin_embedder
from rag.engines.local.candidate_pool import read_pool
from rag.engines.local.features import measure_chunks
from rag.engines.local.grader_model import grader_model
from rag.engines.local.in_domain import in_domain_features
from rag.evaluate.metrics import auc
from rag.index.protocol import CollectionReader
from rag.question.parse import parse_question
from rag.question.parts import POOL
from state.passages import RetrievedChunk


def graded(
    question: str, found: Sequence[RetrievedChunk], reader: CollectionReader
) -> tuple[float, float]:
    """Whether the collection knows of the matter, and the likeliest chunk's confidence."""
    model, embedder = grader_model(), builtin_embedder()
    parsed = parse_question(question, reader)
    pool = read_pool(parsed, found, reader, embedder)
    top = measure_chunks(pool.top, pool, reader, embedder)
    in_domain = model.in_domain.probability(in_domain_features(pool, top))
    return in_domain, max((model.confidence(t.features, in_domain) for t in top), default=0.0)


def told_apart(there: np.ndarray, gone: np.ndarray) -> float:
    found = auc([*there, *gone], [True] * len(there) + [False] * len(gone))
    assert found is not None  # there are both
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, required=True)
    given = parser.parse_args()
    whole, without = [], []
    with TemporaryDirectory() as home:
        for source in sources(given.docs):
            with opened(source, Path(home)) as session:
                for query in source.answerable:
                    found = session.reader.search(query["text"], POOL + 40)
                    rest = [chunk for chunk in found if not holds(chunk["text"], query)]
                    whole.append(graded(query["text"], found[:POOL], session.reader))
                    without.append(graded(query["text"], rest[:POOL], session.reader))
    there, gone = np.array(whole), np.array(without)
    model = grader_model()
    print(f"{len(there)} questions, with their answer and without")
    print(f"told apart by what the collection knows: AUC {told_apart(there[:, 0], gone[:, 0]):.3f}")
    print(f"by the likeliest chunk: AUC {told_apart(there[:, 1], gone[:, 1]):.3f}")
    for name, scores in (("with", there), ("without", gone)):
        print(f"{name} the answer: {(scores[:, 0] < model.in_domain.threshold).sum()} refused")


if __name__ == "__main__":
    main()
