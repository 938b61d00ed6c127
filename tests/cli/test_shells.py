"""Completion in a real shell, driven as a person would."""

import os

import pexpect
import pytest
from crag import environment
from forked_program import crag_program

COMPLETED = [
    ("crag thr", "threads"),
    ("crag threads sh", "show"),
    ("crag trace rep", "replay"),
    ("crag ask q --max-l", "--max-loops"),
    ("crag ask q --engine op", "openai"),
    ("crag ask q --config no", "notes.md"),
]


@pytest.fixture(scope="module")
def variables(tmp_path_factory):
    """A folder with a file, and `crag` on the PATH."""
    folder = tmp_path_factory.mktemp("shells")
    program = folder / "bin" / "crag"
    program.parent.mkdir()
    program.symlink_to(crag_program())
    (folder / "work").mkdir()
    (folder / "work" / "notes.md").write_text("notes")
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return environment(folder, PATH=path, PWD=str(folder / "work"), TERM="dumb", PS1="$ ")


def completes(child, line, word):
    """A tab at the end of `line` writes the rest of `word`; Ctrl-U empties the line again."""
    child.send(f"{line}\t")
    child.expect_exact(line)
    child.expect_exact(word[len(line.split()[-1]) :])
    child.send("\x15echo next-$((40 + 2))\r")
    child.expect_exact("next-42")


def test_bash_completes(variables):
    child = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile", "-i"],
        env=variables,
        cwd=variables["PWD"],
        encoding="utf-8",
        timeout=120,
        dimensions=(50, 200),
    )
    child.send('bind "set enable-bracketed-paste off"; eval "$(_CRAG_COMPLETE=source_bash crag)"\r')
    for line, word in COMPLETED:
        completes(child, line, word)
    child.close()
