"""searcher: answers one sub-question from the collection, by the corrective graph."""

from __future__ import annotations

from rag.research.roles.role import Role

ROLE = Role(
    name="searcher",
    purpose="answers one self-contained question from the documents",
    system=(
        "You turn a research instruction into one self-contained question for a document "
        "search. Use the given facts to name people, places and things in full. Reply with "
        "the question only."
    ),
    searches=True,
)
