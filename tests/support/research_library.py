"""A few documents on one valley, and the real index over them, for whole research runs."""

from pathlib import Path
from typing import Any

from ingest_runs import copied_home_of

TWO_HOPS = "In which town was the engineer who designed the Stone Bridge born?"
THREE_PARTS = (
    "When was the quarry closed, where was Lena Holt born, and how long is the Iron Bridge?"
)
ABSENT = "What is the melting point of tungsten carbide?"

TEXTS = {
    "stone-bridge.md": "# Stone Bridge\n\nThe Stone Bridge was designed by the engineer Anna Berg. "
    "The Stone Bridge is 140 metres long and has nine arches.\n\n"
    "The bridge was opened to carts in 1884.\n",
    "iron-bridge.md": "# Iron Bridge\n\nThe Iron Bridge is 95 metres long. "
    "It was designed by the engineer Lena Holt and opened in 1902.\n",
    "anna-berg.md": "# Anna Berg\n\nAnna Berg was born in the town of Lund in 1841. "
    "She designed bridges, dams and a lighthouse.\n",
    "lena-holt.md": "# Lena Holt\n\nLena Holt was born in the town of Viborg in 1860. "
    "She taught mathematics before she designed bridges.\n",
    "lund.md": "# Lund\n\nLund is a town on the river Aske with a market every Friday.\n",
    "quarry.md": "# The quarry\n\nThe quarry above the valley gave the granite of the bridges. "
    "It was closed in 1931 after a flood.\n",
    "mill.md": "# The mill\n\nThe paper mill burned down in 1911 and was never rebuilt.\n",
    "railway.md": "# The railway\n\nThe railway reached the valley in 1899. "
    "Its first locomotive was named Merriden.\n",
}


def library(folder: Path) -> Path:
    """The home."""
    return copied_home_of(folder, TEXTS)


def lasting(report: dict[str, Any]) -> dict[str, Any]:
    """What two runs of the same question have in common."""
    return {k: v for k, v in report.items() if k not in ("run_id", "seconds")}


def places(report: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(c["source"], c["start_char"], c["end_char"]) for c in report["citations"]]
