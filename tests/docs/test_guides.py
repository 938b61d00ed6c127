"""What the guides, docstrings and comments name of the program and of its tree is there."""

import re
import shlex
from pathlib import Path

import pytest
from readme_blocks import PAGES, ROOT

from cli.app import COMMANDS, command_of
from cli.options import SETTINGS
from state.settings import Settings

GUIDES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]
TOPS = ("cli", "rag", "state", "tests")
MODULES = [path for top in TOPS for path in sorted((ROOT / top).rglob("*.py"))]
CODE = "\n".join(
    path.read_text(encoding="utf-8") for path in MODULES if path.parts[len(ROOT.parts)] != "tests"
)
BASE_NAMES = {path.name for path in MODULES} | {"setup.py", "NAME.py"}
TREE = {name: command_of(name) for name in COMMANDS}
FLAGS = {
    flag
    for command in TREE.values()
    for each in (command, *getattr(command, "commands", {}).values())
    for option in each.params
    for flag in (*option.opts, *option.secondary_opts)
} | {"--help", "-h", "--version", "-V", "--install-completion", "--show-completion"}
# Of other programs, each named beside its own.
FOREIGN = {"--long", "--overrides", "--no-browser", "--write", "--server", "--only", "--data"}
FOREIGN |= {"--docs", "--questions", "--limit", "--seed", "--randomly-seed"}
WORDS = {"sample_corpus", "ingesting", "sales", "psql", "pg_dump", "shared_buffers"}
CRAG = re.compile(
    r"(?:^|[|$;&]\s+)crag ((?:[a-z]+|-{1,2}[a-z-]+|-)(?: [^`\n|&;>]+)?)", re.MULTILINE
)
PATH = re.compile(r"(?<![\w./-])(?:cli|rag|state|tests)/[\w./*-]*\w")
BASE_NAME = re.compile(r"(?<![\w./*-])\w+\.py\b")
PROSE = re.compile(r'"""((?s:.*?))"""|# (.*)')
CODED = re.compile(r"```(?:sh|text)\n(.*?)```|```\w*\n.*?```|`([^`]+)`", re.DOTALL)


def told(path):
    """What a guide sets as code; of the table of what went, what there is instead."""
    text = path.read_text(encoding="utf-8")
    if path.name == "CHANGELOG.md":
        text = re.sub(r"^\|[^|]*\|", "", text, flags=re.MULTILINE)
    return [block or inline for block, inline in CODED.findall(text)]


def unknown(code: str) -> list[str]:
    """What `code` names that the program has not."""
    missing = [name for name in re.findall(r"\bCRAG_[A-Z_]+\b", code) if not is_variable(name)]
    for line in CRAG.findall(code):
        words = shlex.split(line, comments=True)
        command = TREE.get(words[0])
        if command is None and words[0] not in FLAGS:
            missing.append(f"crag {words[0]}")
        elif (children := getattr(command, "commands", None)) and len(words) > 1:
            command = children.get(words[1], next(iter(children.values())))
        flags = {flag for option in getattr(command, "params", ()) for flag in option.opts}
        given = {word.partition("=")[0] for word in words if re.match(r"-{1,2}[a-z]", word)}
        missing += given - flags - {"--help"} if command else []
    if code.startswith("--"):
        missing += [flag for flag in re.findall(r"--[a-z-]+", code) if flag not in FLAGS | FOREIGN]
    if re.fullmatch(r"[a-z]+(_[a-z]+)*", code) and code not in {*COMMANDS, *WORDS}:
        missing += [] if re.search(rf"\b{code}\b", CODE) else [code]
    return missing


def is_variable(name: str) -> bool:
    """A setting's, a flag's, or one that the code reads by name."""
    key = name.removeprefix("CRAG_").lower()
    flag = "--" + key.replace("_", "-")
    return key in {*SETTINGS, *Settings.model_fields} or flag in FLAGS or f'"{name}"' in CODE


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_what_a_guide_names_the_program_has(guide):
    assert [name for code in told(guide) for name in unknown(code)] == []


def missing(text: str) -> list[str]:
    """What it names of the tree that is not there; NAME stands for any name."""
    paths = [name for name in PATH.findall(text) if not any(ROOT.glob(name.replace("NAME", "*")))]
    return paths + [name for name in BASE_NAME.findall(text) if name not in BASE_NAMES]


@pytest.mark.parametrize("top", ["guides", *TOPS])
def test_what_is_named_of_the_tree_exists(top):
    if top == "guides":
        files = [*GUIDES, ROOT / "Makefile", ROOT / "pyproject.toml"]
        told = {path: path.read_text(encoding="utf-8") for path in files}
    else:
        own = [path for path in MODULES if path.is_relative_to(ROOT / top)]
        texts = {path: path.read_text(encoding="utf-8") for path in own if path != Path(__file__)}
        told = {path: "\n".join(map("".join, PROSE.findall(text))) for path, text in texts.items()}
    assert {path.name: names for path, text in told.items() if (names := missing(text))} == {}


@pytest.mark.parametrize(
    "gone",
    [
        *("crag push", "crag ask x --estimate", "CRAG_RERANKER_URL", "--copy", "clarify_back"),
        *("rag/nowhere.py", "rag/*/nowhere.py", "nowhere.py"),
    ],
)
def test_what_is_gone_is_noticed(gone):
    assert unknown(gone) or missing(gone)
