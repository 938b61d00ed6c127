"""A graph of three nodes over the real state, for what does not depend on the real nodes."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from turn_samples import make_answer

from state.graph_state import GraphState, new_question
from state.history import to_history_turn

SECRET = "scratch-work-of-this-question"


def build(fault=None):
    """start → work → finish over the real state; `fault` raises inside work."""

    def start(state: GraphState) -> dict[str, Any]:
        return dict(new_question(state["question"]))

    def work(state: GraphState) -> dict[str, Any]:
        if fault is not None:
            raise fault
        return {
            "loop_count": state["loop_count"] + 3,
            "generation": SECRET,
            "scratchpad": [SECRET],
            "loops": [],
        }

    def finish(state: GraphState) -> dict[str, Any]:
        turn = to_history_turn(make_answer(state["question"]), 0, milestone=False)
        return {"timeline": [turn], "scratchpad": []}

    graph = StateGraph(GraphState)
    graph.add_node("start", start)
    graph.add_node("work", work)
    graph.add_node("finish", finish)
    graph.add_edge(START, "start")
    graph.add_edge("start", "work")
    graph.add_edge("work", "finish")
    graph.add_edge("finish", END)
    return graph


def ask(checkpoints, question, thread="t", *, fault=None):
    with checkpoints.turn(thread) as saver:
        graph = build(fault).compile(checkpointer=saver)
        config = {"configurable": {"thread_id": thread}}
        return graph.invoke({"question": question}, config, durability="exit")
