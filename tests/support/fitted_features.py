"""What the grader goes by, measured of a few questions on the invented collection. A fit keeps them
(`KEPT`): where the code measures otherwise, its numbers weigh something else.
"""

import json
import tempfile
from pathlib import Path

from local_corpus import StaticReranker, build, searched

from rag.engines.local.grade import answer_features, chunk_features, in_domain_features

KEPT = Path(__file__).parents[1] / "local" / "grader_features.json"
QUESTIONS = (
    "How many arches does the Tarn viaduct have?",
    "where was the desinger of the viaduct born",
    "What is the capital of Mongolia?",
)
CHUNKS = 2


def measured() -> list[dict[str, float]]:
    """Of each question what tells whether it is answered, and of its first chunks their signs."""
    rows = []
    with tempfile.TemporaryDirectory() as home:
        collection = build(Path(home))
        for question in QUESTIONS:
            state = searched(collection, question)
            part = state["parts"][0]
            asked, pool = part["question"], part["pool"]
            rows.append(in_domain_features(asked, pool, collection.chunk_count))
            rows.append(answer_features(part, state["documents"], StaticReranker()))
            rows += [chunk_features(chunk, pool) for chunk in state["documents"][:CHUNKS]]
        collection.close()
    return rows


def keep() -> None:
    rows = [{name: round(value, 6) for name, value in row.items()} for row in measured()]
    KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
