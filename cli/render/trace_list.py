"""One line of `crag trace list`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from state.traces import TraceSummary


def trace_line(row: TraceSummary, width: int | None) -> str:
    """Id, time, status, thread and question; cut to a terminal's `width`, whole elsewhere."""
    when = datetime.fromtimestamp(row["created_at"], UTC).astimezone()
    question = " ".join(row["question"].split())
    kind = "research: " if row["kind"] == "research" else ""
    thread = f" [{row['thread']}]" if row["thread"] else ""
    line = f"{row['trace_id']}  {when:%Y-%m-%d %H:%M}  {row['status']:9}  {kind}{question}{thread}"
    return line if width is None or len(line) <= width else f"{line[: max(40, width) - 1]}…"
