"""The nodes of the two graphs, a line each: where it leads and when, and where it is drawn.

What wires, draws, counts and names nodes reads it here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

ALWAYS = "always"
START, END = "__start__", "__end__"

Place = tuple[float, float]
"""Column and row."""


@dataclass(frozen=True, slots=True)
class Step:
    """A node. `leads_to` says when it leads where; `runs` how often a turn can come by: once, once
    a loop, once a draft; `doing` what a terminal says meanwhile.
    """

    place: Place
    leads_to: Mapping[str, str]
    runs: Literal["once", "loop", "draft"] = "once"
    doing: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A transition of a graph."""

    source: str
    target: str
    conditional: bool = False


Topology = Mapping[str, Step]
"""Nodes by name, the one that begins first."""

CORRECTIVE: Topology = {
    "start_turn": Step((0, 0), {"contextualize": ALWAYS}),
    "contextualize": Step(
        (1, 0),
        {
            "retrieve": "it is a question",
            "record_turn": "it is small talk, or asks what was asked before or what there is",
        },
        doing="reading the conversation",
    ),
    "retrieve": Step((2, 0), {"grade_documents": ALWAYS}, "loop", "searching"),
    "grade_documents": Step(
        (3, 0),
        {
            "refine": "the relevant chunks suffice, or the loops are spent",
            "transform_query": "they do not suffice and a loop is left",
            "search_web": "nothing is relevant, `--web`, not searched yet",
            "abstain": "nothing is relevant and no loop is left",
        },
        "loop",
        "grading",
    ),
    "transform_query": Step(
        (2.5, 1),
        {
            "retrieve": "there is a query that was not tried",
            "refine": "there is none, and something relevant was found",
            "search_web": "there is none, nothing is relevant, `--web`",
            "abstain": "there is none, and nothing relevant was found",
        },
        "loop",
        "rewriting the query",
    ),
    "refine": Step((4, 0), {"generate": ALWAYS}, doing="picking sentences"),
    "generate": Step((5, 0), {"check_answer": ALWAYS}, "draft", "answering"),
    "check_answer": Step(
        (6, 0),
        {
            "generate": "no claim is proved and one is contradicted, once (model only)",
            "abstain": "no claim is left",
            "record_turn": "what is left is not contradicted",
        },
        "draft",
        "checking the sources",
    ),
    "search_web": Step((4, 1), {"grade_documents": ALWAYS}),
    "abstain": Step((5, 2), {"record_turn": ALWAYS}),
    "record_turn": Step((6, 2), {END: ALWAYS}),
}
RESEARCH: Topology = {
    "cleanup": Step((0, 0), {"plan": ALWAYS}),
    "plan": Step((1, 0), {"dispatch": ALWAYS}),
    "dispatch": Step((2, 0), {"reflect": ALWAYS}),
    "reflect": Step(
        (3, 0),
        {
            "cleanup": "another round is worth it",
            "escalate": "only the person can say how to go on",
            "write": "it is answered, or nothing is left to follow",
        },
    ),
    "write": Step((4, 0), {END: ALWAYS}),
    "escalate": Step((1.5, 1), {"cleanup": ALWAYS}),
}


def edges_of(graph: Topology) -> Iterator[Edge]:
    """Every transition between nodes and to the ends."""
    yield Edge(START, next(iter(graph)))
    for name, step in graph.items():
        for target, when in step.leads_to.items():
            yield Edge(name, target, when != ALWAYS)


def drawn(graph: Topology) -> tuple[Edge, ...]:
    """The transitions between nodes; the ends are not drawn."""
    return tuple(edge for edge in edges_of(graph) if not {START, END} & {edge.source, edge.target})
