"""What every command's Typer app has in common."""

from __future__ import annotations

from typing import Annotated, Any

import typer
import typer.core
import typer.main


class DefaultGroup(typer.core.TyperGroup):
    """A group that runs its first command where none of them is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not {*args[:1]} & {*self.commands, "--help", "-h"}:
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)


def new_app(text: str | None = None, **changed: Any) -> typer.Typer:
    """An app for one command, or for a group whose help is `text`."""
    return typer.Typer(
        help=text,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        **changed,
    )


SETTINGS = {
    *("collection", "engine", "files", "grader", "home", "k", "max-cost", "max-loops"),
    *("max-tokens", "store", "thread", "threads", "timeout", "verify", "web"),
}
"""Options whose variable `state.settings` reads itself, so that it knows where a value is from."""


def finish(command: Any) -> None:
    """Give a command --debug, and each long option its CRAG_… twin in the environment."""
    command.params.append(_debug_option())
    for option in command.params:
        long = next((name[2:] for name in option.opts if name.startswith("--")), None)
        if long is not None and long not in SETTINGS:
            option.envvar = f"CRAG_{long.upper().replace('-', '_')}"
            option.show_envvar = False


def _debug_option() -> Any:
    """The error boundary reads it, no command does."""
    app = new_app()

    @app.command()
    def command(
        debug: Annotated[
            bool, typer.Option("--debug", help="A traceback when something fails.")
        ] = False,
    ) -> None:
        del debug

    (option,) = typer.main.get_command(app).params
    option.expose_value = False
    return option
