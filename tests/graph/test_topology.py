from typing import get_args, get_type_hints

import pytest
from readme_blocks import transition_table

from rag.diagram import ascii_diagram, edges, mermaid
from rag.graph import NODES, ROUTERS
from rag.research.research_graph import after_reflection
from rag.topology import ALWAYS, CORRECTIVE, RESEARCH

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
    ("grade_documents", "record_turn", True),
    ("transform_query", "retrieve", True),
    ("transform_query", "refine", True),
    ("transform_query", "search_web", True),
    ("transform_query", "abstain", True),
    ("transform_query", "record_turn", True),
    ("search_web", "grade_documents", False),
    ("refine", "generate", False),
    ("generate", "check_answer", False),
    ("check_answer", "generate", True),
    ("check_answer", "transform_query", True),
    ("check_answer", "abstain", True),
    ("check_answer", "record_turn", True),
    ("abstain", "record_turn", False),
    ("record_turn", "__end__", False),
}


def test_the_topology_is_the_documented_one():
    assert {(e["from"], e["to"], e["conditional"]) for e in edges()} == TOPOLOGY


@pytest.mark.parametrize(
    ("step", "router"),
    [
        *((CORRECTIVE[name], each) for name, each in ROUTERS.items()),
        (RESEARCH["reflect"], after_reflection),
    ],
)
def test_a_router_leads_where_the_table_says_and_every_way_says_when(step, router):
    assert set(get_args(get_type_hints(router)["return"])) == set(step.leads_to)
    assert ALWAYS not in step.leads_to.values()


def test_every_node_has_a_line_and_none_else():
    assert set(NODES) == set(CORRECTIVE)
    assert transition_table().count("\n") == len(TOPOLOGY) + 1


def test_the_pictures_show_every_node():
    for node in NODES:
        assert node in mermaid()
        assert node in ascii_diagram()
