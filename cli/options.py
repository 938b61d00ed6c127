"""Every shared option, declared once; a command's signature names those it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.choices import EngineChoice, GraderOption, VerifyOption
from cli.completion import complete_collection, complete_thread

if TYPE_CHECKING:
    from state.settings import Settings

Collection = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        help="The collection to use.",
        metavar="NAME",
        autocompletion=complete_collection,
    ),
]
Collections = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        help="The collection to use, or several: a,b.",
        metavar="NAME",
        autocompletion=complete_collection,
    ),
]
Files = Annotated[
    str | None,
    typer.Option("--files", metavar="GLOB", help="Ask only such documents."),
]
Thread = Annotated[
    str | None,
    typer.Option(
        "--thread",
        "-t",
        help="The thread to use.",
        metavar="NAME",
        autocompletion=complete_thread,
    ),
]
Engine = Annotated[
    EngineChoice | None,
    typer.Option("--engine", help="Rules, a model, or a model where one is set."),
]
K = Annotated[
    int | None,
    typer.Option("--k", metavar="N", min=1, max=200, help="Chunks retrieved in each loop."),
]
MaxLoops = Annotated[
    int | None,
    typer.Option(
        "--max-loops", metavar="N", min=0, max=20, help="Corrections of the query at most."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Trace = Annotated[bool, typer.Option("--trace", help="Print loops and grades on stderr.")]
NoStream = Annotated[
    bool,
    typer.Option("--no-stream", help="Print the answer when it is whole."),
]
Home = Annotated[
    Path | None,
    typer.Option("--home", metavar="FOLDER", help="Where index, threads and traces live."),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A settings file instead of your own.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notices on stderr.")]
Store = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="A shared store in Postgres."),
]
Threads = Annotated[
    str | None,
    typer.Option("--threads", help="A Postgres database for the threads.", metavar="URL"),
]
Grader = Annotated[GraderOption | None, typer.Option("--grader", help="Who grades the chunks.")]
Verify = Annotated[
    VerifyOption | None,
    typer.Option("--verify", help="Who checks that the sources support the answer."),
]
Web = Annotated[
    bool | None, typer.Option("--web", help="Search the web when the documents do not hold it.")
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", metavar="N", min=1, help="Tokens the question may take."),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", help="Money the question may cost."),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="Seconds the question may take."),
]
Events = Annotated[bool, typer.Option("--events", help="The run as NDJSON on stdout.")]
OkAbstain = Annotated[bool, typer.Option("--ok-abstain", help="Exit 0 when abstaining.")]

Continue = Annotated[bool, typer.Option("--continue", help="Go on with the newest thread.")]
Pin = Annotated[bool, typer.Option("--pin", help="Keep this turn in the model's view.")]
Estimate = Annotated[bool, typer.Option("--estimate", help="Only say the most it can cost.")]


def read_settings(config: Path | None = None, **flags: Any) -> Settings:
    """Settings from flags, environment, file and defaults, in that order; their home is made
    private.

    Raises:
        UsageError: a flag's value is unusable.
        SettingsError: a file's or variable's is.

    """
    from state.private_home import make_private
    from state.settings import load_settings

    values = {
        name: value.value
        if isinstance(value, EngineChoice | GraderOption | VerifyOption)
        else value
        for name, value in flags.items()
    }
    settings = load_settings(values, config)
    make_private(settings.home)
    return settings
