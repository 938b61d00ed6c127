"""The corrective graph: wiring only. Nothing is compiled or connected at import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from rag.nodes.update import Node, timed
from rag.routes import (
    after_checking,
    after_contextualizing,
    after_grading,
    after_rewriting,
)
from state.graph_state import GraphState, TurnInput

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
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


def recursion_limit(max_loops: int) -> int:
    """Steps that a turn of `max_loops` corrections and one retry can take, and no more."""
    once = ("start_turn", "contextualize", "refine", "abstain", "record_turn")
    each_loop = ("retrieve", "grade_documents", "transform_query")
    web = ("search_web", "grade_documents")
    each_draft = ("generate", "check_answer")
    return len(once) + len(web) + len(each_loop) * (max_loops + 1) + len(each_draft) * 2 + 1


def build_graph() -> StateGraph[GraphState, Dependencies, TurnInput, GraphState]:
    """The graph, uncompiled: `build_graph().compile(checkpointer=...)` runs it."""
    graph = StateGraph(GraphState, context_schema=Dependencies, input_schema=TurnInput)
    for name, node in NODES.items():
        graph.add_node(name, timed(name, node))
    graph.add_edge(START, "start_turn")
    graph.add_edge("start_turn", "contextualize")
    graph.add_conditional_edges("contextualize", after_contextualizing)
    graph.add_edge("retrieve", "grade_documents")
    graph.add_conditional_edges("grade_documents", after_grading)
    graph.add_conditional_edges("transform_query", after_rewriting)
    graph.add_edge("search_web", "grade_documents")
    graph.add_edge("refine", "generate")
    graph.add_edge("generate", "check_answer")
    graph.add_conditional_edges("check_answer", after_checking)
    graph.add_edge("abstain", "record_turn")
    graph.add_edge("record_turn", END)
    return graph


def compile_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> CompiledGraph:
    return build_graph().compile(checkpointer=checkpointer, name="crag")
