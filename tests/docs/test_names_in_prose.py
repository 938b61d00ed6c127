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
MODULE = re.compile(r"(?<![\w./-])(?:cli|rag|state|tests)(?:\.[a-z_]\w*)+")
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
    for name in MODULE.findall(text):
        if not is_module(name) and not is_in_module(*name.rsplit(".", 1)):
            yield name
    yield from (name for name in BASE_NAME.findall(text) if name not in BASE_NAMES | {"NAME.py"})


def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def is_in_module(module: str, attribute: str) -> bool:
    path = (ROOT / module.replace(".", "/")).with_suffix(".py")
    return path.is_file() and attribute in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("top", ["cli", "rag", "state", "tests"])
def test_docstrings_and_comments_name_what_exists(top):
    found = {
        str(path.relative_to(ROOT)): names
        for path in CODE
        if path.is_relative_to(ROOT / top) and path != Path(__file__)
        if (names := list(missing(prose(path))))
    }
    assert found == {}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_guides_name_what_exists(guide):
    assert list(missing(prose(guide))) == []


def test_the_house_names_folders_that_exist():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(\w+)/", guide.split("## The house")[1].split("```")[1]))
    assert named <= {part for path in CODE for part in path.relative_to(ROOT).parts}


@pytest.mark.parametrize(
    "gone",
    ["rag/nowhere.py", "see `state.nowhere`", "cli.main.nowhere", "rag/*/nowhere.py", "nowhere.py"],
)
def test_what_is_gone_is_noticed(gone):
    assert list(missing(gone))
