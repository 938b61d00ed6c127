"""`crag skill`: what an agent reads to use crag from a shell."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

import typer

from cli import options
from cli.agents.clients import SkillReader
from cli.app import new_app
from cli.terminal import Terminal

app = new_app("Print or install the skill file for agents.", no_args_is_help=True)


@app.command()
def show() -> None:
    """Print it."""
    Terminal().out(_text().removesuffix("\n"))


@app.command()
def install(
    reader: Annotated[
        SkillReader, typer.Argument(help="Who is to read it; agents: Codex, VS Code, others.")
    ] = SkillReader.CLAUDE_CODE,
    undo: Annotated[bool, options.switch("--undo", "Take it away again.")] = False,
    yes: options.Yes = False,
    quiet: options.Quiet = False,
) -> None:
    """Write it where an agent looks for skills. Shows what changes, and asks."""
    from cli.agents.change import change_file, read_before
    from cli.agents.clients import skill_file

    terminal = Terminal(quiet=quiet)
    file = skill_file(reader)
    if not change_file(file, read_before(file), "" if undo else _text(), terminal, yes=yes):
        terminal.notice(f"{file} {'is not there' if undo else 'is so already'}.")


def _text() -> str:
    return (files("cli.agents") / "skill.md").read_text(encoding="utf-8")
