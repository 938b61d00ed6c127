"""Run a graph in all the ways that LangGraph can, and print what came of it; for a child process.

python tests/support/deferred_graph.py deferred|whole DATABASE
"""

import json
import sys

if sys.argv[1] == "deferred":
    from rag.deferred_imports import defer_imports

    defer_imports()

import operator
from typing import Annotated, TypedDict

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt


class State(TypedDict, total=False):
    number: int
    found: Annotated[list[int], operator.add]
    said: str


def count(state: State) -> State:
    return {"number": state["number"] + 1}


def spread(state: State) -> list[Send]:
    return [Send("look", {"number": each}) for each in range(state["number"])]


def look(state: State) -> State:
    return {"found": [state["number"] ** 2]}


def ask(state: State) -> State:
    return {"number": interrupt({"found": sorted(state["found"])})}


def speak(_state: State) -> State:
    model = GenericFakeChatModel(messages=iter([AIMessage(content="all is well")]))
    return {"said": str(model.invoke("how is it?").content)}


graph = StateGraph(State)
for node in (count, look, ask, speak):
    graph.add_node(node)
graph.add_edge(START, "count")
graph.add_conditional_edges("count", spread, ["look"])
graph.add_edge("look", "ask")
graph.add_edge("ask", "speak")
graph.add_edge("speak", END)

told: list[object] = []
config = {"configurable": {"thread_id": "t"}}
with SqliteSaver.from_conn_string(sys.argv[2]) as saver:
    compiled = graph.compile(checkpointer=saver)
    modes = ["updates", "values", "messages", "custom", "checkpoints"]
    for given in ({"number": 2}, Command(resume=7)):
        for mode, part in compiled.stream(given, config, stream_mode=modes):
            if mode == "messages":
                told.append([mode, part[0].content])
            elif mode == "checkpoints":
                told.append([mode, sorted(part["values"]), part["next"]])
            else:
                told.append([mode, sorted(part)])
    told.append([sorted(each.values.items()) for each in compiled.get_state_history(config)])
    told.append(compiled.get_graph().draw_mermaid())
    bare = graph.compile()
    told.append(sorted(bare.invoke({"number": 1, "found": [3]}, {"callbacks": []})))
used = {"langsmith.client", "langgraph_sdk.client", "requests.sessions"} & set(sys.modules)
print(json.dumps([sorted(used), told], default=repr))
