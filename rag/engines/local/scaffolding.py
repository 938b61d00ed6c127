"""Words that shape a question rather than tell its matter: "how many", "what kind of", "tell me".

The passage that answers "How many arches has it?" says "fourteen arches", and of the labelled
sets' relevant passages one in six holds the question's "many", one in four its "type".
"""

from __future__ import annotations

from functools import cache

from rag.index.terms import terms

_WORDS = """
    many much often long far
    kind kinds type types sort sorts way ways thing things name names named called
    difference differences compare compared versus vs define
    tell know give list explain describe show find mean means meant please like
    happen happens happened exist exists occur occurs make makes made get gets
    go goes come comes take takes want wants become becomes became need needs needed
    allowed permitted possible able supposed allow permit exactly actually
"""


@cache
def scaffolding() -> frozenset[str]:
    """As terms."""
    return frozenset(terms(_WORDS))
