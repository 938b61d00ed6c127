"""Every shared option, declared once; a command says which it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.terminal import Terminal
from state.choices import EngineName, GraderChoice, Verifier

if TYPE_CHECKING:
    from state.settings import Settings

Run = Callable[..., Any]


def _setting(kind: Any, text: str, metavar: str | None = None, *names: str, **limits: Any) -> Any:
    """An option, by default named like its parameter; if it is not given, the setting applies."""
    return Annotated[kind | None, typer.Option(*names, help=text, metavar=metavar, **limits)]


def flag(name: str, text: str, *short: str) -> Any:
    return typer.Option(name, *short, help=text)


def _path(value: str) -> Path:
    if not value:  # which Path would take for the current folder
        raise typer.BadParameter("it is empty")
    return Path(value)


Collection = Annotated[
    str | None, typer.Option("--collection", "-c", help="The collection to use.", metavar="NAME")
]
Json = Annotated[bool, flag("--json", "One JSON object on stdout.")]
Trace = Annotated[bool, flag("--trace", "Print loops and grades on stderr.")]
NoStream = Annotated[bool, flag("--no-stream", "Print the answer when it is whole.")]
Yes = Annotated[bool, flag("--yes", "Do not ask.", "-y")]
Events = Annotated[bool, flag("--events", "The run as NDJSON on stdout.")]
OkAbstain = Annotated[bool, flag("--ok-abstain", "Exit 0 when abstaining.")]
Continue = Annotated[bool, flag("--continue", "Go on with the newest thread.")]
Pin = Annotated[bool, flag("--pin", "Keep this turn in the model's view in all later ones.")]


ANSWERING = ("engine", "k", "max_loops", "grader", "max_tokens", "max_cost", "timeout")
PLACES = ("store", "threads")
ASKING = ("collection", "thread", *ANSWERING, "verify", "web", "full", "quotes", *PLACES)
_EVERYWHERE = ("home", "config", "quiet", "debug")
_FURTHER = "Further searches at most: by a better query, or for what a model lacks."
_DEFAULTS = {"quiet": False, "debug": False}
SHARED: dict[str, Any] = {
    "collection": Collection,
    "thread": _setting(str, "The thread to go on with.", "NAME", "--thread", "-t"),
    "engine": _setting(EngineName, "Rules, a model, or a model where one is set."),
    "k": _setting(int, "Chunks retrieved in each loop.", "N", min=1, max=200),
    "max_loops": _setting(int, _FURTHER, "N", min=0, max=20),
    "grader": _setting(GraderChoice, "Who grades the chunks."),
    "verify": _setting(Verifier, "Who checks that the sources support the answer."),
    "web": _setting(bool, "Search the web when the documents do not hold it.", None, "--web"),
    "full": _setting(bool, "Whole blocks where snippets are shown.", None, "--full"),
    "quotes": _setting(bool, "Print the cited quotes below the answer.", None, "--quotes"),
    "max_tokens": _setting(int, "Tokens the question may take.", "N", min=1),
    "max_cost": _setting(float, "Money the question may cost.", "USD"),
    "timeout": _setting(float, "Seconds the question may take.", "SECONDS"),
    "store": _setting(str, "A shared store in Postgres.", "URL"),
    "threads": _setting(str, "A Postgres database for the threads.", "URL"),
    "home": Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where index, threads and traces live.", parser=_path),
    ],
    "config": Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A settings file instead of your own.", parser=_path),
    ],
    "quiet": Annotated[bool, flag("--quiet", "No notices on stderr.", "-q")],
    "debug": Annotated[bool, flag("--debug", "A traceback when something fails.")],
}
"""The shared options by name; `command` gives them to one."""
SETTINGS = frozenset(SHARED) - {"config", "quiet", "debug"}
"""The shared options that are settings."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The shared options that a command was given; `flags` are settings."""

    flags: Mapping[str, Any]
    config: Path | None
    terminal: Terminal

    def settings(self, **earlier: Any) -> Settings:
        """Settings from flags, environment, file and defaults, in that order; `earlier` flags apply
        where none is given now.

        Raises:
            UsageError: a flag's value is unusable.
            SettingsError: a file's or variable's is.
        """
        from state.settings import load_settings

        now = {name: value for name, value in self.flags.items() if value is not None}
        return load_settings({**earlier, **now}, self.config)


def command(app: typer.Typer, *takes: str, name: str | None = None) -> Callable[[Run], Run]:
    """Make a function a command of the app. As its parameter `given` it gets these options of
    SHARED, and those that every command has; in the help they stand behind its own.
    """
    taken = [
        Parameter(each, Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(each), annotation=annotation)
        for each, annotation in SHARED.items()
        if each in {*takes, *_EVERYWHERE}
    ]

    def decorate(function: Run) -> Run:
        @wraps(function)
        def run(**values: Any) -> Any:
            flags = {each.name: values.pop(each.name) for each in taken}
            del flags["debug"]  # the error boundary reads it, no command does
            given = Shared(flags, flags.pop("config"), Terminal(flags.pop("quiet")))
            return function(given=given, **values)

        own = [
            each.replace(kind=Parameter.KEYWORD_ONLY)
            for each in signature(function, eval_str=True).parameters.values()
            if each.name != "given"
        ]
        parameters = [*own, *taken]
        changed: Any = run
        changed.__signature__ = Signature(parameters)
        changed.__annotations__ = {each.name: each.annotation for each in parameters}
        return app.command(name)(run)

    return decorate
