"""Whatever docstrings, comments and guides name of the tree is there: no reader is sent astray."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [path for top in ("cli", "rag", "state", "tests") for path in (ROOT / top).rglob("*.py")]
GUIDES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml")),
    *sorted((ROOT / "docs").glob("*.md")),
]
BASE_NAMES = {path.name for path in CODE} | {"setup.py"}
PATH = re.compile(r"(?<![\w./-])(?:cli|rag|state|tests)/[\w./*-]*\w")
PROSE = re.compile(r'"""((?s:.*?))"""|# (.*)')
BASE_NAME = re.compile(r"(?<![\w./*-])\w+\.py\b")


def prose(path: Path) -> str:
    """The comments and docstrings of a module; of any other file, all of it."""
    text = path.read_text(encoding="utf-8")
    return text if path.suffix != ".py" else "\n".join(map("".join, PROSE.findall(text)))


def missing(text: str) -> Iterator[str]:
    """What `text` names and the tree does not hold; NAME stands for any name."""
    for name in PATH.findall(text):
        if not any(ROOT.glob(name.replace("NAME", "*"))):
            yield name
    yield from (name for name in BASE_NAME.findall(text) if name not in BASE_NAMES | {"NAME.py"})


@pytest.mark.parametrize(
    "top", ["README.md", "CONTRIBUTING.md", "docs", "cli", "rag", "state", "tests"]
)
def test_what_is_named_exists(top):
    files = [path for path in (*GUIDES, *CODE) if path.is_relative_to(ROOT / top)]
    found = {path.name: list(missing(prose(path))) for path in files if path != Path(__file__)}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize("gone", ["rag/nowhere.py", "rag/*/nowhere.py", "nowhere.py"])
def test_what_is_gone_is_noticed(gone):
    assert list(missing(gone))
