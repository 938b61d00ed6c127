"""`crag eval`: scores of the pipeline on a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cli import options
from cli.app import new_app
from cli.terminal import Terminal
from state.choices import EvaluationStage
from state.errors import UsageError
from state.wording import many

app = new_app()


@options.command(app, *options.ANSWERING, "verify", "store")
def evaluate(
    given: options.Shared,
    dataset: Annotated[
        Path,
        typer.Argument(
            help="A folder with queries.jsonl and corpus.jsonl or files/.", metavar="DATASET"
        ),
    ],
    stage: Annotated[EvaluationStage, typer.Option(help="How far to go.")] = EvaluationStage.FULL,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Queries at most.")] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Which queries, where there is a limit.")
    ] = 0,
    baseline: Annotated[
        bool, options.flag("--baseline", "The same without loops, beside it.")
    ] = False,
    collection: options.Collection = None,
    json_: options.Json = False,
) -> None:
    """Score retrieval, grading, abstention and answers on a dataset.

    Citations, loops and cost as well. The dataset's index is made once and kept.
    """
    if baseline and stage is not EvaluationStage.FULL:
        raise UsageError("--baseline compares answers.", "Use it with --stage full.")
    from rag.evaluate.datasets import load_dataset
    from rag.evaluate.evaluate_dataset import EvaluationPlan
    from rag.evaluate.evaluate_dataset import evaluate as run

    terminal, settings = given.terminal, given.settings()
    plan = EvaluationPlan(stage, limit, seed, baseline, collection)
    with terminal.progress() as on:
        report = run(load_dataset(dataset), settings, plan, on, terminal.notice)
    if json_:
        terminal.json(report)
    else:
        print_report(report, terminal)


def print_report(report: dict[str, Any], terminal: Terminal) -> None:
    """Print what was evaluated and how, then every figure that the data define, beside those
    without loops.
    """
    config, without = report["config"], report.get("baseline", {})
    thinks = config["engine"] + (f" ({config['model']})" if config["model"] else "")
    terminal.wrapped(
        f"{report['dataset']}: {many(report['queries'], 'question')}, "
        f"{config['documents']:,} documents in {config['chunks']:,} chunks; "
        f"engine {thinks}, k {config['k']}, at most {config['max_loops']} loops"
    )
    rows = [("", "", "without loops" if without else "")]
    for section, measured in report.items():
        if not isinstance(measured, dict) or section in ("config", "baseline"):
            continue
        figures = {name: value for name, value in measured.items() if value is not None}
        if not figures or figures.get("n") == 0:
            continue
        rows.append((section, "", ""))
        for name, value in figures.items():
            beside = _text(without[section][name]) if section in without else ""
            rows.append((f"  {name}", _text(value), beside))
    for name, value, beside in rows:
        terminal.out(f"{name:<23} {value:>9}  {beside:>13}".rstrip())


def _text(value: float | None) -> str:
    """A count, a share, or a dash if the data do not define it."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
