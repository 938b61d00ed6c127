from pathlib import Path

from rag.diagram import ascii_diagram, edges, mermaid
from rag.graph import NODES

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


def test_the_docs_say_of_every_edge_when_it_is_taken():
    page = Path(__file__).parents[2] / "docs" / "how-it-works.md"
    table = page.read_text("utf-8").partition("| from | to | when |\n|---|---|---|\n")[2]
    said = [row.strip("| ").split(" | ") for row in table.partition("\n\n")[0].splitlines()]
    drawn = [[source.strip("_"), target.strip("_")] for source, target, _ in TOPOLOGY]
    assert sorted([source, target] for source, target, _when in said) == sorted(drawn)


def test_the_pictures_show_every_node():
    for node in NODES:
        assert node in mermaid()
        assert node in ascii_diagram()
