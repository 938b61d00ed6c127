import json
from pathlib import Path

from crag import crag

from rag.graph import NODES


def test_the_topology_is_the_documented_one_and_of_every_edge_is_said_when_it_is_taken(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "how-it-works.md"
    table = page.read_text("utf-8").partition("| from | to | when |\n|---|---|---|\n")[2]
    said = [row.strip("| ").split(" | ") for row in table.partition("\n\n")[0].splitlines()]
    documented = [(source, target, when != "always") for source, target, when in said]
    edges = json.loads(crag(tmp_path, "graph", "--json").stdout)["edges"]
    drawn = [(e["from"].strip("_"), e["to"].strip("_"), e["conditional"]) for e in edges]
    assert sorted(documented) == sorted(drawn)


def test_the_pictures_show_every_node(tmp_path):
    for words in (["graph"], ["graph", "--ascii"]):
        drawn = crag(tmp_path, *words).stdout
        assert all(node in drawn for node in NODES)
