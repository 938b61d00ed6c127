from __future__ import annotations

import re
from pathlib import Path

import pytest
from readme_blocks import (
    BLOCK,
    PAGES,
    REFERENCE,
    ROOT,
    Session,
    reference,
    refreshed,
    steady,
)

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("_weights")
def test_every_printed_block_is_what_the_program_prints(tmp_path: Path):
    session, seen = Session(tmp_path), 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fresh = refreshed(text, session)
        for now, then in zip(BLOCK.finditer(fresh), BLOCK.finditer(text), strict=True):
            assert then.group() == now.group(), f"out of date: {then['run'] or then['made']}"
            seen += 1
    assert seen >= 4


def test_the_command_reference_is_what_the_program_prints():
    assert REFERENCE.read_text(encoding="utf-8") == reference()


def test_the_two_commands_of_a_newcomer_stand_at_the_top():
    first = re.search(r"```sh\n(.*?)```", README, re.DOTALL)
    assert first is not None
    assert first.group(1).split("\n")[:2] == ["make demo", "make test"]


def test_what_varies_from_run_to_run_is_made_steady():
    assert steady("done in 12.3 s  \n") == steady("done in 99.9 s\n")
    assert steady("trace 20251121-224501-3fa9c1") == steady("trace 20260101-000000-abcdef")
