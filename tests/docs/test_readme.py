from pathlib import Path

import pytest
from readme_blocks import BLOCK, PAGES, REFERENCE, Session, reference, refreshed


@pytest.mark.usefixtures("_weights")
def test_every_printed_block_is_what_the_program_prints(tmp_path: Path):
    session, seen = Session(tmp_path), 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fresh = refreshed(text, session)
        for now, then in zip(BLOCK.finditer(fresh), BLOCK.finditer(text), strict=True):
            assert then.group() == now.group(), f"out of date: {then['run']}"
            seen += 1
    assert seen >= 4


def test_the_command_reference_is_what_the_program_prints():
    assert REFERENCE.read_text(encoding="utf-8") == reference()
