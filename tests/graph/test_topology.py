from __future__ import annotations

import subprocess
import sys

import pytest

from rag.diagram import WHEN, ascii_diagram, edges, mermaid, transition_table
from rag.graph import NODES, compile_graph, recursion_limit

TOPOLOGY = {
    ("__start__", "start_turn", False),
    ("start_turn", "contextualize", False),
    ("contextualize", "record_turn", True),
    ("contextualize", "retrieve", True),
    ("retrieve", "grade_documents", False),
    ("grade_documents", "refine", True),
    ("grade_documents", "transform_query", True),
    ("grade_documents", "search_web", True),
    ("grade_documents", "abstain", True),
    ("transform_query", "retrieve", True),
    ("transform_query", "refine", True),
    ("transform_query", "search_web", True),
    ("transform_query", "abstain", True),
    ("search_web", "grade_documents", False),
    ("refine", "generate", False),
    ("generate", "check_answer", False),
    ("check_answer", "generate", True),
    ("check_answer", "abstain", True),
    ("check_answer", "record_turn", True),
    ("abstain", "record_turn", False),
    ("record_turn", "__end__", False),
}


def test_the_topology_is_the_documented_one():
    assert {(e["from"], e["to"], e["conditional"]) for e in edges()} == TOPOLOGY


def test_every_conditional_edge_says_when_it_is_taken():
    conditional = {(source, target) for source, target, choice in TOPOLOGY if choice}
    assert set(WHEN) == conditional
    assert "| ? |" not in transition_table()


def test_the_pictures_show_every_node():
    for node in NODES:
        assert node in mermaid()
        assert node in ascii_diagram()


def test_nothing_is_compiled_or_connected_at_import():
    code = (
        "import sys, rag.graph\n"
        "print(*(m for m in ('chromadb', 'langchain_openai', 'openai') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("max_loops", [0, 1, 3, 20])
def test_the_recursion_limit_holds_the_longest_turn_and_little_more(max_loops: int):
    longest = 3 + 3 * max_loops + 1 + 2 + 1 + 4 + 1 + 1
    assert longest <= recursion_limit(max_loops) <= longest + 6


def test_a_graph_can_be_compiled_twice():
    assert compile_graph() is not compile_graph()
