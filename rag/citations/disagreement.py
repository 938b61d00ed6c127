"""Cited places of two files that say the same of one thing, but for a quantity.

Of 354 answers on thirteen documentations and on the sample corpus, where none was known to differ
so, none is said to.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import combinations

from rag.citations.contradiction import other_quantities
from rag.citations.evidence import Evidence, evidence
from rag.citations.quantities import quantities
from rag.index.protocol import CollectionReader
from state.answer import Citation
from state.passages import Passage

SAYS_ENOUGH = 3
"""Words of a sentence besides its quantities: "9. Insurance" and "6. Insured" say nothing of one
thing.
"""


def disagreements(
    citations: Sequence[Citation], passages: Sequence[Passage], reader: CollectionReader
) -> list[str]:
    """A line for each two: the files, with the days on which they were changed, and what they say.

    Each quoted sentence must say what the other does, and have a quantity of its own in the place
    of the other's, which stands nowhere in its excerpt.
    """
    telling = [citation for citation in citations if quantities(citation["quote"])]
    if len({citation["source"] for citation in telling}) < 2:
        return []
    cited = {citation["chunk_id"] for citation in telling}
    every = evidence([each for each in passages if each["chunk_id"] in cited], (), reader)
    quoted = [
        item
        for item in every
        if len(item.said.said) >= SAYS_ENOUGH and any(_within(item, each) for each in telling)
    ]
    found = []
    for one, other in combinations(quoted, 2):
        if one.passage["source"] == other.passage["source"]:
            continue
        there = _instead(one, other, every)
        here = _instead(other, one, every)
        if here is not None and there is not None:
            found.append(
                f"Sources disagree: {_named(one, reader)} says {here},"
                f" {_named(other, reader)} says {there}."
            )
    return found


def _instead(one: Evidence, other: Evidence, every: Sequence[Evidence]) -> str | None:
    """What the other says in the place of a quantity of the one."""
    beside = [item for item in every if item.passage is other.passage]
    return next((there for _, there, _ in other_quantities(one.said, [other], beside)), None)


def _within(item: Evidence, citation: Citation) -> bool:
    return (
        item.passage["chunk_id"] == citation["chunk_id"]
        and item.start_char < citation["end_char"]
        and citation["start_char"] < item.end_char
    )


def _named(item: Evidence, reader: CollectionReader) -> str:
    document = reader.document(item.passage["source"])
    modified = 0 if document is None else document.stat.modified_ns
    if not modified:
        return item.passage["source"]
    day = datetime.fromtimestamp(modified / 1e9).astimezone().date().isoformat()
    return f"{item.passage['source']} ({day})"
