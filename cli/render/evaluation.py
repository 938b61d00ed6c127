"""An evaluation on a terminal, as a table of its figures."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from cli.terminal import Terminal, clean
from state.wording import many


def print_report(report: dict[str, Any]) -> None:
    """Print what was evaluated and how, then every figure that the data define, beside those
    without loops.
    """
    console, config = Terminal().console(stderr=False), report["config"]
    thinks = config["engine"] + (f" ({config['model']})" if config["model"] else "")
    asked = (
        f"{report['dataset']}: {many(report['queries'], 'question')}, "
        f"{config['documents']:,} documents in {config['chunks']:,} chunks; "
        f"engine {thinks}, k {config['k']}, at most {config['max_loops']} loops"
    )
    console.print(clean(asked), soft_wrap=True)
    without = report.get("baseline", {})
    table = Table("", box=None, pad_edge=False)
    for title in ("", "without loops")[: 2 if without else 1]:
        table.add_column(title, justify="right", no_wrap=True)
    for section, measured in report.items():
        if not isinstance(measured, dict) or section in ("config", "baseline"):
            continue
        figures = {name: value for name, value in measured.items() if value is not None}
        if not figures or figures.get("n") == 0:
            continue
        table.add_row(section, style="bold")
        for name, value in figures.items():
            beside = [_text(without[section][name])] if section in without else []
            table.add_row(f"  {name}", _text(value), *beside)
    console.print(table)


def _text(value: float | None) -> str:
    """A count, a share, or a dash if the data do not define it."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
