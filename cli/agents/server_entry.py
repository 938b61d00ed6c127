"""A server's entry in a list of MCP servers, put in and taken out with all else left as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from cli.agents.clients import ServerFile
from state.errors import UsageError

_TABLE = re.compile(r"^\s*\[")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


def with_entry(text: str, file: ServerFile, name: str, command: Sequence[str] | None) -> str:
    """The file's text with the server `name` started by `command`, or without it for None.

    Raises:
        UsageError: the text is not what such a file holds.
    """
    values = _parsed(text, file)
    servers = values.get(file.key, {})
    if not isinstance(servers, dict):
        raise _unreadable(file, f"{file.key} is no table")
    if command is None and name not in servers:
        return text
    others = {key: entry for key, entry in servers.items() if key != name}
    if file.is_toml:
        changed = _toml_without(text, f"{file.key}.{name}")
        if command is not None:
            changed = f"{changed.rstrip()}\n\n" if changed.strip() else ""
            changed += _toml(f"{file.key}.{name}", command)
    else:
        values[file.key] = others if command is None else {**servers, name: _entry(file, command)}
        if not values[file.key]:
            del values[file.key]
        changed = _json(values, text)
    found = _parsed(changed, file).get(file.key, {})
    if {key: entry for key, entry in found.items() if key != name} != others:
        raise _unreadable(file, f"its {file.key} is written in a way that is not known here")
    return changed


def _parsed(text: str, file: ServerFile) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        values = tomllib.loads(text) if file.is_toml else json.loads(text)
    except ValueError as error:  # of JSON, of TOML
        raise _unreadable(file, f"{error}") from None
    if not isinstance(values, dict):
        raise _unreadable(file, "it holds no table")
    return values


def _unreadable(file: ServerFile, why: str) -> UsageError:
    return UsageError(f"{file.path} is left alone: {why}.", "Mend it, or add the server by hand.")


def _entry(file: ServerFile, command: Sequence[str]) -> dict[str, Any]:
    kind = {"type": "stdio"} if file.typed else {}
    return {**kind, "command": command[0], "args": list(command[1:])}


def _json(values: Mapping[str, Any], before: str) -> str:
    """Indented as it was; nothing where there is nothing to say."""
    if not values:
        return ""
    found = _INDENT.search(before)
    indent = found[1] if found else "  "
    end = "\n" if before.endswith("\n") or not before else ""
    return json.dumps(values, indent=indent, ensure_ascii=False) + end


def _toml(table: str, command: Sequence[str]) -> str:
    words = [json.dumps(word, ensure_ascii=False) for word in command]  # a basic string of TOML
    return f"[{table}]\ncommand = {words[0]}\nargs = [{', '.join(words[1:])}]\n"


def _toml_without(text: str, table: str) -> str:
    """The text without this table and those beneath it; comments elsewhere stay."""
    own = re.compile(rf"^\s*\[\s*{re.escape(table)}\s*[\].]")
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if _TABLE.match(line):
            inside = bool(own.match(line))
        if not inside:
            kept.append(line)
    return "".join(kept)
