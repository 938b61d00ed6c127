"""`crag man`: the manual page, made from the commands' own help. `crag man | man -l -`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from cli.app import new_app
from cli.command_table import COMMANDS
from cli.exits import Exit
from cli.lazy import command_of
from cli.terminal import Terminal
from state.extras import package_version

app = new_app()

_ABOUT = """\
.SH NAME
crag \\- ask questions of your own documents; every sentence is cited
.SH SYNOPSIS
.B crag
COMMAND [ARGUMENTS] [OPTIONS]
.SH DESCRIPTION
Retrieves, grades what it found, rewrites the query when that was not good enough, and
answers with located citations, or says that the documents do not hold an answer.
.SH COMMANDS"""

_EXIT_CODES = {
    Exit.DONE: "answered, or done",
    Exit.UNEXPECTED: "unexpected failure",
    Exit.USAGE: "usage: a bad flag, an unknown collection, thread or turn",
    Exit.ABSTAINED: "abstained: the documents do not hold an answer",
    Exit.SETUP: "set-up: settings, key, no index, embedder mismatch, store busy",
    Exit.REMOTE: "a model or a remote store failed",
    Exit.INGEST_FAILURES: "ingest finished, but some files failed (with --strict)",
    Exit.INTERRUPTED: "interrupted",
}

_ENVIRONMENT = """\
.SH ENVIRONMENT
.TP
.B CRAG_HOME
Where the index, the threads and the traces live.
.TP
.B CRAG_\\fIOPTION\\fR
Stands in for the long flag of that name, as CRAG_MAX_LOOPS for \\-\\-max\\-loops.
.TP
.B OPENAI_API_KEY, OPENAI_BASE_URL
Understood as the key and the endpoint of a model.
.TP
.B NO_COLOR
Obeyed."""


@app.command()
def man() -> None:
    """Print the manual page."""
    Terminal().out("\n".join(page(package_version("crag-cli"))))


def page(version: str) -> Iterator[str]:
    """The page in man(7) macros, line by line."""
    yield f'.TH CRAG 1 "" "crag {version}" "User Commands"'
    yield _ABOUT
    for name, short in COMMANDS.items():
        command = command_of(name)
        children: dict[str, Any] = getattr(command, "commands", {})
        yield f".SS crag {name}"
        yield _escaped(short)
        for child, sub in children.items():
            yield ".PP"
            yield f".B crag {name} {child}"
            yield _escaped(_first_line(sub.help))
            yield from _options(sub)
        if not children:
            yield from _options(command)
    yield ".SH EXIT STATUS"
    for code, meaning in _EXIT_CODES.items():
        yield ".TP"
        yield f".B {code}"
        yield _escaped(meaning)
    yield _ENVIRONMENT


def _options(command: Any) -> Iterator[str]:
    context = typer.Context(command)
    for parameter in command.params:
        names, text = parameter.get_help_record(context)
        yield ".TP"
        yield f".B {_escaped(names)}"
        yield _escaped(text)


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n", 1)[0]


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text
