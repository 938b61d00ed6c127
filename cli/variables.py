"""The CRAG_… variables of the environment: which there are, and which are misspelt."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches

_OFF = ("", "0", "f", "false", "n", "no", "off")


def is_on(name: str) -> bool:
    """Whether a switch's variable is set, read before any command has been."""
    return os.environ.get(name, "").lower() not in _OFF


def tell_unknown(arguments: Sequence[str]) -> None:
    """One line on stderr for each CRAG_… variable that nothing reads."""
    given = {name for name in os.environ if name.upper().startswith("CRAG_")} - {"CRAG_HOME"}
    if not given or {"-q", "--quiet"} & set(arguments) or is_on("CRAG_QUIET"):
        return
    from cli.first_sign import clear_first_sign
    from state.settings import Settings

    given = {name for name in given if name[5:].lower() not in Settings.model_fields}
    known = _twins() if given else set()
    for name in sorted(given - known):
        near = get_close_matches(name.upper(), sorted(known), n=1, cutoff=0.75)
        hint = f"Did you mean {near[0]}?" if near else "`crag config show` lists every setting."
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)
        clear_first_sign()
        with suppress(OSError):
            sys.stderr.write(f"warning: nothing reads the variable {shown}. {hint}\n")


def _twins() -> set[str]:
    """The variables of every setting and of every option of every command."""
    from cli.lazy import COMMANDS, command_of
    from state.settings import Settings

    known = {f"CRAG_{key.upper()}" for key in Settings.model_fields}
    for name in COMMANDS:
        command = command_of(name)
        for each in getattr(command, "commands", {name: command}).values():
            known.update(option.envvar for option in each.params if isinstance(option.envvar, str))
    return known
