"""The docs' picture of the graph: the drawing of `crag graph --html` without any run, as a file."""

from __future__ import annotations

import re

from picture_looks import BORDER, DIM, FOLDER, INK, PALETTE, PAPER

from rag.topology import CORRECTIVE
from rag.tracing.graph_svg import counted_svg

FILE = FOLDER / "graph.svg"
ALT = "the graph's twelve nodes, from start_turn to record_turn; dashed ways are conditional"
STYLE = (
    f"text{{font:12px system-ui,sans-serif;fill:{INK}}}.name{{font-weight:600}}"
    f".edge{{fill:none;stroke:{DIM}}}marker path{{fill:{DIM}}}"
    f".node rect{{fill:{PAPER};stroke:{PALETTE['cyan']};stroke-width:1.6}}"
)


def drawing() -> str:
    """One SVG, with no font or file of another's; looks the same on light and dark pages."""
    made = counted_svg(CORRECTIVE, dict.fromkeys(CORRECTIVE, 0.0), {}, {})
    svg = re.sub("^<figure>|</figure>$", "", made)
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert size is not None
    frame = f'width="{int(size[1]) - 2}" height="{int(size[2]) - 2}" rx="9"'
    paper = f'<rect x="1" y="1" {frame} fill="{PAPER}" stroke="{BORDER}"/>'
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    svg = svg.replace("<defs>", f"<style>{STYLE}</style>{paper}<defs>", 1)
    return svg.replace("><", ">\n<") + "\n"
