"""`crag open`: a cited place of the last answer, in the person's editor or quoted."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.app import new_app
from cli.render.answer_text import citation_of
from cli.render.surroundings import print_surroundings
from cli.terminal import keep_private
from state.errors import SetupError, UsageError

app = new_app()

_AT_LINE = {
    "+{line} {file}": "emacs emacsclient joe kak mcedit micro nano nvim pico vi vim",
    "--goto {file}:{line}": "code code-insiders codium cursor windsurf",
    "{file}:{line}": "helix hx subl zed zeditor",
}
"""What takes the editors to a line."""


@app.command("open")
@options.taking()
def open_(
    given: options.Given,
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="The citation, as in [2].")] = 1,
    trace: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="The trace of the answer whose place to open.",
            autocompletion=options.complete_trace,
        ),
    ] = "last",
) -> None:
    """Open a place that the last answer cites.

    In $VISUAL or $EDITOR where there is one and the file is text; else it is shown here, as it
    was read. Elsewhere than on a terminal the file's path is printed.
    """
    from rag.opening import open_reader
    from rag.tracing.stored_trace import began
    from state.shared_place import open_traces

    terminal, settings = given.terminal, given.settings()
    with open_traces(settings) as traces:
        found = traces.get(trace)
    citation = citation_of(found["answer"], number)
    asked = settings.model_copy(update={"collection": began(found)["collection"], "files": None})
    with open_reader(asked, terminal.notice) as reader:
        document = reader.document(citation["source"])
        text = reader.document_text(citation["source"])
    if document is None or document.path is None:
        raise UsageError(
            f"{citation['source']} is no file of {asked.collection}.",
            "`crag trace last` shows what was quoted.",
        )
    file = Path(document.path)
    if not os.path.isfile(file):  # noqa: PTH113 - Path's own can raise
        raise UsageError(f"{file} is gone; it was cited.", "`crag ingest` brings all up to date.")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not sys.stdout.isatty():
        terminal.out(str(file))
    elif editor and _is_text(file):
        _run(opening_command(editor, file, citation["start_line"]))
    else:
        terminal.out(str(file))
        print_surroundings(terminal, citation, text or "")


def opening_command(editor: str, file: Path, line: int | None) -> list[str]:
    """What opens a file in an editor, at a line where it can be told one.

    Raises:
        SetupError: the variable is no command.
    """
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise SetupError(f"The editor {editor!r} is no command: {error}.", "Set EDITOR.") from None
    name = Path(words[0]).name
    forms = (form for form, names in _AT_LINE.items() if line and name in names.split())
    form = next(forms, "{file}")
    return [*words, *(word.format(file=file, line=line) for word in form.split())]


def _run(command: list[str]) -> None:
    """Run it on this terminal until it ends, with the person's own umask."""
    try:
        done = subprocess.run(command, check=False, umask=keep_private())  # noqa: S603 - theirs
    except OSError as error:
        why = error.strerror or error
        raise SetupError(f"{command[0]} cannot be started: {why}.", "Set EDITOR.") from None
    if done.returncode:
        raise SetupError(f"{command[0]} ended with code {done.returncode}.")


def _is_text(file: Path) -> bool:
    with file.open("rb") as opened:
        return b"\0" not in opened.read(8192)
