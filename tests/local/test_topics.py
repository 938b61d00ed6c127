"""Questions that much of a collection speaks of: definitions, how-tos, comparisons."""

from __future__ import annotations

import pytest
from ingest_runs import session_of

FILES = {
    "kilns.md": "# Kilns\n\nEvery kiln is fired twice. A kiln needs a flue.\n\nCheck it daily.",
    "firing.md": "# Firing\n\nA kiln is a furnace in which clay is baked. The kiln must be dry.",
    "logs.md": "# Logs\n\nThe kiln log is kept by the door. Note the kiln and the glaze there.",
    "staff.md": "# Staff\n\nWho fires a kiln signs for it. No kiln is left alone.",
    "tools.md": "# Tools\n\nThe kiln has a peephole. Read the cone in the kiln through it.\n\n"
    "## Starting\n\nTo start the kiln from a shell, run this:\n\n"
    "```console\n$ kilnctl start kiln\n```\n",
    "glaze.md": "# Glaze\n\nGlaze runs in a hot kiln. A glaze is a skin of glass. Stir the glaze.",
    "slip.md": "# Slip\n\nSlip is clay and water. Slip sticks where glaze would run in the kiln.",
    "rooms.md": "# The house\n\n| room | floor |\n|---|---|\n| glaze room | 0 |\n"
    "| throwing room | 1 |\n| drying loft | 2 |\n\nRent is due monthly.\n\n"
    "The landlady comes for it by herself. She asks for no receipts, and leaves by noon.",
    "shop.md": "# Shop\n\nThe shop opens at nine. Pots from the kiln are sold on Fridays.",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with session_of(tmp_path_factory.mktemp("topics"), FILES) as session:
        yield session


def test_how_to_do_a_thing_gives_the_command(session):
    answer = session.ask("How do I start the kiln?")
    assert "kilnctl start kiln" in answer["answer"]


def test_a_list_is_answered_with_the_rows_of_its_table(session):
    answer = session.ask("List the rooms")
    for room in ("glaze room", "throwing room", "drying loft"):
        assert room in answer["answer"]


def test_a_comparison_is_answered_from_what_speaks_of_both(session):
    answer = session.ask("What is the difference between slip and glaze?")
    assert answer["status"] != "abstained"
    assert any("slip.md" in citation["source"] for citation in answer["citations"])


def test_what_is_in_no_document_is_still_refused(session):
    for question in ("What is a carburettor?", "How do I bake bread?", "cats versus dogs"):
        assert session.ask(question)["status"] == "abstained"
