"""What asks before it deletes, answered in a real pseudo-terminal."""

from __future__ import annotations

import pexpect
import pytest
from chat_samples import crag, environment, make_home
from forked_program import crag_program


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("confirm"))


@pytest.mark.parametrize(
    ("said", "code", "last"),
    [
        ("n\r", 1, "crag: Nothing was changed."),
        ("\r", 1, "crag: Nothing was changed."),
        ("\x03", 130, "crag: interrupted."),
    ],
)
def test_a_no_is_a_no_and_ctrl_c_an_interruption(home, said, code, last):
    child = pexpect.spawn(
        crag_program(),
        ["collections", "delete", "default"],
        env=environment(home),
        encoding="utf-8",
        timeout=60,
    )
    child.expect_exact("Delete the collection 'default' with its 3 documents? [y/N]: ")
    child.send(said)
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.before.splitlines()[-1]) == (code, last)
    assert "3 documents" in crag(home, "status").stdout
