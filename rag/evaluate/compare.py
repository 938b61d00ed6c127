"""A report against an older one of `crag eval --json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag.evaluate.figures import EVAL_SCHEMA
from rag.evaluate.labels import LABELS
from state.errors import UsageError

_BIGGEST = 64 << 20


def read_report(path: Path) -> dict[str, Any]:
    """A report kept from an earlier run.

    Raises:
        UsageError: there is none in the file.
    """
    try:
        with path.open("rb") as file:
            report = json.loads(file.read(_BIGGEST))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON.", "Keep one with `crag eval --json`.") from None
    if not isinstance(report, dict) or report.get("schema") != EVAL_SCHEMA:
        raise UsageError(f"{path} is no {EVAL_SCHEMA}.", "Keep one with `crag eval --json`.")
    sections = {label.section for label in LABELS}
    for section in sections:
        figures = report.setdefault(section, {})
        if not isinstance(figures, dict) or any(
            value is not None and (isinstance(value, bool) or not isinstance(value, int | float))
            for value in figures.values()
        ):
            raise UsageError(f"{path}: {section!r} holds something else than figures.")
    if not isinstance(report.setdefault("config", {}), dict):
        raise UsageError(f"{path}: 'config' is no object.")
    return report


def comparison(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Every figure that either has, and the settings in which the two runs differ."""
    changes: dict[str, dict[str, float | None]] = {}
    for label in LABELS:
        before, now = label.of(old), label.of(new)
        if before is None and now is None:
            continue
        changes[f"{label.section}.{label.key}"] = {
            "old": before,
            "new": now,
            "difference": None if before is None or now is None else round(now - before, 4),
        }
    keys = sorted({*old["config"], *new["config"]})
    config = {
        key: {"old": old["config"].get(key), "new": new["config"].get(key)}
        for key in keys
        if old["config"].get(key) != new["config"].get(key)
    }
    same = old.get("dataset") == new["dataset"] and old.get("queries") == new["queries"]
    return {"same_queries": same, "config": config, "changes": changes}
