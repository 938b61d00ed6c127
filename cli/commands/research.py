"""`crag research`: a question planned, researched and reported with located citations."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cli import options
from cli.app import new_app
from cli.asking import read_question, thread_settings
from cli.errors import Exit, reader_may_leave
from cli.render.trace_view import research_line
from cli.terminal import Terminal, clean
from state.errors import UsageError

if TYPE_CHECKING:
    from rag.research.report import Report
    from state.research_state import ResearchEvent

app = new_app()


@options.command(app, "collection", "thread", *options.ANSWERING, *options.PLACES)
def research(
    given: options.Shared,
    question: Annotated[
        str | None,
        typer.Argument(help="The question; '-' reads standard input.", metavar="QUESTION"),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Go on with a run, as it said; 'last': with the newest."),
    ] = None,
    answer: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Your answer to what the run asked.")
    ] = None,
    json_: options.Json = False,
    events: options.Events = False,
    ok_abstain: options.OkAbstain = False,
) -> int:
    """Plan a question, research its parts, and write a cited report."""
    terminal, data = given.terminal, json_ or events
    if (question is None) == (resume is None):
        raise UsageError("Give either a question or --resume with a run's id.")
    if answer is not None and resume is None:
        raise UsageError("--answer goes with --resume: a new run has not asked anything.")
    settings = given.settings()
    text = read_question(question) if question is not None else ""
    from rag.research.journal import Journal
    from rag.research.run import Research

    if resume is None:
        settings = thread_settings(given)
    else:
        with Journal(settings.home) as journal:
            begun = journal.run(resume)
        settings = given.settings(**begun["flags"])

    def show(event: ResearchEvent) -> None:
        if events:
            terminal.json(event)
        elif line := research_line(event):
            terminal.notice(line)

    asks = not data and terminal.err_is_tty and sys.stdin.isatty()
    with Research(settings, terminal.notice) as run:
        try:
            report = run.resume(resume, answer, show) if resume else run.start(text, show)
            while report["escalation"] is not None and asks:
                answer = typer.prompt(clean(report["escalation"]), err=True, prompt_suffix=" ")
                report = run.resume(report["run_id"], answer, show)
        except BaseException:  # also an interrupt, or what a library raised for it
            if run.run_id is not None:
                terminal.warn(_how_to_resume(run.run_id))
            raise
    _print_report(report, terminal, data=data)
    unanswered = report["status"] in ("abstained", "waiting")
    return Exit.ABSTAINED if unanswered and not ok_abstain else Exit.DONE


def _how_to_resume(run_id: str) -> str:
    return f"Go on with: crag research --resume {run_id}"


def _print_report(report: Report, terminal: Terminal, *, data: bool) -> None:
    with reader_may_leave():
        if data:
            terminal.json(report)
        else:
            terminal.wrapped(report["report"])
    for warning in report["warnings"]:
        terminal.notice(f"warning: {warning}")
    if report["escalation"] is not None:
        terminal.warn(report["escalation"])
        terminal.warn(f'{_how_to_resume(report["run_id"])} --answer "…"')
    elif report["resumable"]:
        terminal.warn(_how_to_resume(report["run_id"]))
