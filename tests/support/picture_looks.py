"""Where the docs' pictures are, and their colours."""

from __future__ import annotations

from readme_blocks import ROOT

FOLDER = ROOT / "docs" / "pictures"
INK, PAPER, BORDER = "#d7dae0", "#16181d", "#3a3f4b"
PALETTE = {
    "black": "#5c6370",
    "red": "#f47067",
    "green": "#7ec699",
    "yellow": "#e5c07b",
    "blue": "#6cb6ff",
    "magenta": "#d2a8ff",
    "cyan": "#66d9ef",
    "white": "#f0f3f6",
}
DIM = "#8b93a1"
