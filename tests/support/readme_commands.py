"""Every command that the README prints, in order, and a clone to run them in as printed.

A command is a line of a ```sh block, what a block was made by (`<!-- run: … -->`), or inline
code that begins with a program's name and says more than that name.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from forked_program import crag_program

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = "crag|make|python|pip|pipx|uv|ollama|vllm|export|echo|docker|curl|git"
_FOUND = re.compile(
    r"```sh\n(?P<block>.*?)```|<!-- run: (?P<run>.+?) -->|```\w*\n.*?```"
    rf"|`(?P<inline>(?:{PROGRAMS}) [^`]+)`",
    re.DOTALL,
)


def sections(text: str) -> dict[str, list[list[str]]]:
    """The blocks of commands under each heading of the second level, in the text's order.

    What a block sets in the environment holds to its end.
    """
    found = {}
    for section in re.split(r"^## ", f"Top\n{text}", flags=re.MULTILINE):
        blocks = [_commands(each) for each in _FOUND.finditer(section)]
        if any(blocks):
            found[section.partition("\n")[0]] = [block for block in blocks if block]
    return found


def _commands(found: re.Match[str]) -> list[str]:
    if found["block"]:
        return found["block"].splitlines()
    alone = found["run"] or found["inline"]
    return [" ".join(alone.split())] if alone else []


def clone(folder: Path) -> None:
    """The project's own files, as a fresh clone has them, and what bytecode they have."""
    for name in ("cli", "rag", "state", "tests", "sample_corpus"):
        ignored = shutil.ignore_patterns(".*_cache")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for file in ROOT.iterdir():
        if file.is_file() and file.name != ".git":
            shutil.copy2(file, folder / file.name)


def programs(folder: Path) -> None:
    """A folder for PATH with `crag` and `python` as this environment has them."""
    folder.mkdir()
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (folder / "crag").symlink_to(crag_program())
