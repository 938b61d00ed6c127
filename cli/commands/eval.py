"""`crag eval`: scores of the pipeline on a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.app import new_app
from cli.render.progress import progress_on
from state.choices import EvaluationStage
from state.errors import UsageError

app = new_app()


@app.command()
@options.taking(*options.ANSWERING, "verify", "store")
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
    with progress_on(terminal) as on:
        report = run(load_dataset(dataset), settings, plan, on, terminal.notice)
    if json_:
        terminal.json(report)
    else:
        from cli.render.evaluation import print_report

        print_report(report)
