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
Thread = Annotated[
    str | None,
    typer.Option(
        "--thread",
        "-t",
        help="The thread to continue.",
        metavar="NAME",
        autocompletion=complete_thread,
    ),
]
Engine = Annotated[EngineChoice | None, typer.Option("--engine", help="What thinks.")]
K = Annotated[int | None, typer.Option("--k", min=1, max=200, help="Chunks retrieved a loop.")]
MaxLoops = Annotated[
    int | None, typer.Option("--max-loops", min=0, max=20, help="Corrections at most.")
]
Json = Annotated[
    bool, typer.Option("--json", envvar="CRAG_JSON", help="One JSON object on stdout.")
]
Trace = Annotated[
    bool, typer.Option("--trace", envvar="CRAG_TRACE", help="Print loops and grades on stderr.")
]
NoStream = Annotated[
    bool, typer.Option("--no-stream", envvar="CRAG_NO_STREAM", help="Print the finished answer.")
]
Home = Annotated[Path | None, typer.Option("--home", help="Where index, threads and traces live.")]
Config = Annotated[
    Path | None,
    typer.Option("--config", envvar="CRAG_CONFIG", help="A settings file instead of your own."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", envvar="CRAG_QUIET", help="No notices on stderr.")
]
Debug = Annotated[
    bool, typer.Option("--debug", envvar="CRAG_DEBUG", help="A traceback when something fails.")
]
Store = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="A Chroma server, not the folder."),
]
Threads = Annotated[
    str | None, typer.Option("--threads", help="A Postgres for the threads.", metavar="URL")
]
Grader = Annotated[GraderOption | None, typer.Option("--grader", help="Who grades the chunks.")]
Verify = Annotated[VerifyOption | None, typer.Option("--verify", help="Who checks support.")]
Web = Annotated[
    bool | None, typer.Option("--web", help="Search the web when the documents do not hold it.")
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=1, help="Token budget of the question.")
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="Budget of the question in USD.")
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", min=0, help="Seconds the question may take.")
]
Events = Annotated[
    bool, typer.Option("--events", envvar="CRAG_EVENTS", help="The run as NDJSON on stdout.")
]
OkAbstain = Annotated[
    bool, typer.Option("--ok-abstain", envvar="CRAG_OK_ABSTAIN", help="Exit 0 when abstaining.")
]

Continue = Annotated[
    bool, typer.Option("--continue", envvar="CRAG_CONTINUE", help="Go on with the newest thread.")
]
Pin = Annotated[
    bool, typer.Option("--pin", envvar="CRAG_PIN", help="Keep this turn in the model's view.")
]
Estimate = Annotated[
    bool, typer.Option("--estimate", envvar="CRAG_ESTIMATE", help="Say the most it can cost.")
]


def read_settings(config: Path | None = None, **flags: Any) -> Settings:
    """Settings from flags, environment, file and defaults, in that order.

    Raises:
        UsageError: a flag's value is unusable.
        SettingsError: a file's or variable's is.

    """
    from state.settings import load_settings

    values = {
        name: value.value
        if isinstance(value, EngineChoice | GraderOption | VerifyOption)
        else value
        for name, value in flags.items()
    }
    return load_settings(values, config)
