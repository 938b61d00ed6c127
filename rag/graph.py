"""The corrective graph: wiring only. Nothing is compiled or connected at import."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from langgraph.graph import END, START, StateGraph

from rag.dependencies import Dependencies
from rag.nodes.abstain import abstain
from rag.nodes.check_answer import check_answer
from rag.nodes.contextualize import contextualize
from rag.nodes.generate import generate
from rag.nodes.grade_documents import grade_documents
from rag.nodes.record_turn import record_turn
from rag.nodes.refine import refine
from rag.nodes.retrieve import retrieve
from rag.nodes.search_web import search_web
from rag.nodes.start_turn import start_turn
from rag.nodes.transform_query import transform_query
from rag.nodes.update import Node, instrumented
from rag.routes import after_checking, after_contextualizing, after_grading, after_rewriting
from state.graph_state import GraphState, TurnInput

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    CompiledGraph = CompiledStateGraph[GraphState, Dependencies, TurnInput, GraphState]

NODES: dict[str, Node] = {
    "start_turn": start_turn,
    "contextualize": contextualize,
    "retrieve": retrieve,
    "grade_documents": grade_documents,
    "transform_query": transform_query,
    "refine": refine,
    "generate": generate,
    "check_answer": check_answer,
    "search_web": search_web,
    "abstain": abstain,
    "record_turn": record_turn,
}

EDGES = [
    (START, "start_turn"),
    ("start_turn", "contextualize"),
    ("retrieve", "grade_documents"),
    ("search_web", "grade_documents"),
    ("refine", "generate"),
    ("generate", "check_answer"),
    ("abstain", "record_turn"),
    ("record_turn", END),
]
"""The fixed edges. Where a node leads to several, its router's return type names them."""

ROUTERS: dict[str, Callable[[GraphState], str]] = {
    "contextualize": after_contextualizing,
    "grade_documents": after_grading,
    "transform_query": after_rewriting,
    "check_answer": after_checking,
}


def recursion_limit(max_loops: int) -> int:
    """More steps than a turn takes: as if every node ran with each loop, the web and the retry."""
    return len(NODES) * (max_loops + 3)


def compile_graph() -> CompiledGraph:
    graph = StateGraph(GraphState, context_schema=Dependencies, input_schema=TurnInput)
    for name, node in NODES.items():
        graph.add_node(name, instrumented(name, node))
    for source, target in EDGES:
        graph.add_edge(source, target)
    for name, router in ROUTERS.items():
        graph.add_conditional_edges(name, router)
    return graph.compile(name="crag")


shared_graph = cache(compile_graph)
"""The graph that all sessions share: it holds no state, and compiling takes as long as a turn."""
