"""Completion in real shells, driven as a person would; those that are not installed are skipped."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pexpect
import pytest
from forked_program import crag_program
from readme_commands import ROOT
from turn_samples import make_answer

from state.shared_place import open_turn_store
from state.trace_store import TraceStore

TRACE = "20260101-000000-aaaaaa"
RUN = "20260202-000000-bbbbbb"
COMPLETED = [
    ("crag thr", "threads"),
    ("crag threads sh", "show"),
    ("crag ask q --max-l", "--max-loops"),
    ("crag ask q --engine op", "openai"),
    ("crag eval x --stage gr", "grading"),
    ("crag ask q -c pap", "papers"),
    ("crag threads show rail", "railway"),
    ("crag trace 2026", TRACE),
    ("crag trace show la", "last"),
    ("crag research --resume 2026", RUN),
    ("crag ingest no", "notes.md"),
    ("crag trace last --html no", "notes.md"),
    ("crag ask q --config no", "notes.md"),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A home with one of each that has a name, and `crag` on the PATH."""
    folder = tmp_path_factory.mktemp("shells")
    home = folder / "home"
    home.mkdir()
    with open_turn_store(home) as turns:
        turns.append("railway", make_answer())
        turns.append("$(touch evil)", make_answer())
    with TraceStore(home) as traces:
        traces.keep(TRACE, [], make_answer())
    names = ["papers", "a b", "`touch evil`", "'; touch evil"]
    with closing(sqlite3.connect(home / "catalog.sqlite")) as db, db:
        db.execute("create table collections (name)")
        db.executemany("insert into collections values (?)", [(name,) for name in names])
    with closing(sqlite3.connect(home / "home.db")) as db, db:
        db.execute("insert into research values (?, 'run', '', 0, '{}')", (RUN,))
    program = folder / "bin" / "crag"
    program.parent.mkdir()
    program.symlink_to(crag_program())
    (folder / "work").mkdir()
    (folder / "work" / "notes.md").write_text("notes")
    return {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "CRAG_HOME": str(home),
        "PWD": str(folder / "work"),
        "TERM": "dumb",
        "PS1": "$ ",
    }


def shell(name, *words, environment):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return pexpect.spawn(
        name,
        list(words),
        env=environment,
        cwd=environment["PWD"],
        encoding="utf-8",
        timeout=120,
        dimensions=(50, 200),
    )


def completes(child, line, word):
    """A tab at the end of `line` writes the rest of `word`; Ctrl-U empties the line again."""
    child.send(f"{line}\t")
    child.expect_exact(line)
    child.expect_exact(word[len(line.split()[-1]) :])
    child.send("\x15echo next-$((40 + 2))\r")
    child.expect_exact("next-42")


def test_bash_completes(environment):
    child = shell("bash", "--norc", "--noprofile", "-i", environment=environment)
    child.send('bind "set enable-bracketed-paste off"; eval "$(_CRAG_COMPLETE=source_bash crag)"\r')
    for line, word in COMPLETED:
        completes(child, line, word)
    child.close()


def test_zsh_completes(environment):
    child = shell("zsh", "-f", "-i", environment=environment)
    child.send("PS1='$ '; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D\r")
    child.send('eval "$(_CRAG_COMPLETE=source_zsh crag)"\r')
    for line, word in COMPLETED:
        completes(child, line, word)
    child.close()


def test_fish_completes(environment):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    script = "_CRAG_COMPLETE=source_fish crag | source; for line in $argv; complete -C $line; end"
    done = subprocess.run(
        ["fish", "--no-config", "-c", script, *(line for line, _ in COMPLETED)],
        env=environment,
        cwd=environment["PWD"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    offered = [line.split("\t")[0] for line in done.stdout.splitlines()]
    missing = {word for _, word in COMPLETED} - set(offered)
    assert not missing, done.stdout


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_name_that_a_shell_would_run_is_not_offered(name, environment):
    variables = {
        "bash": {"COMP_WORDS": "crag ask q -c ", "COMP_CWORD": "4"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "crag ask q -c "},
        "fish": {
            "_TYPER_COMPLETE_ARGS": "crag ask q -c ",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        },
    }[name]
    done = subprocess.run(
        ["crag"],
        env={**environment, "_CRAG_COMPLETE": f"complete_{name}", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "papers" in done.stdout
    assert "touch" not in done.stdout
