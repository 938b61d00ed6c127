"""The compiled graphs as edges to draw and to count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag.diagram import WHEN
from rag.tracing.graph_layout import CORRECTIVE, RESEARCH, Edge, Place

WHEN_RESEARCH = {
    ("reflect", "cleanup"): "another round is worth it",
    ("reflect", "escalate"): "only the person can say how to go on",
    ("reflect", "__end__"): "it is answered, or nothing is left to follow",
}


@dataclass(frozen=True, slots=True)
class Topology:
    """`edges` go between nodes and to the ends, which are not drawn."""

    edges: tuple[Edge, ...]
    places: Mapping[str, Place]
    when: Mapping[tuple[str, str], str]

    @property
    def drawn(self) -> tuple[Edge, ...]:
        ends = {"__start__", "__end__"}
        return tuple(edge for edge in self.edges if not ends & {edge.source, edge.target})


def corrective() -> Topology:
    from rag.graph import compile_graph

    return Topology(_edges(compile_graph()), CORRECTIVE, WHEN)


def research() -> Topology:
    from rag.research.graph import compile_research

    return Topology(_edges(compile_research()), RESEARCH, WHEN_RESEARCH)


def _edges(graph: Any) -> tuple[Edge, ...]:
    return tuple(
        Edge(edge.source, edge.target, edge.conditional) for edge in graph.get_graph().edges
    )
