"""What a shell is offered, asked as bash asks."""

import pytest
from crag import crag


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("crag thr", "threads"),
        ("crag threads sh", "show"),
        ("crag trace rep", "replay"),
        ("crag ask q --max-l", "--max-loops"),
        ("crag ask q --engine op", "openai"),
    ],
)
def test_bash_completes(tmp_path, line, word):
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    offered = crag(tmp_path, _CRAG_COMPLETE="complete_bash", **asked)
    assert word in offered.stdout.split()
