"""A graph as an inline SVG, with the nodes and edges of real runs marked and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

from rag.topology import Edge, Topology, drawn
from rag.tracing.graph_layout import HEIGHT, WIDTH, Curve, Layout, lay_out

_MARKERS = "".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" class="{name}"/></marker>'
    for name in ("went", "idle")
)


def path_svg(
    graph: Topology,
    path: Sequence[str],
    timings_ms: Mapping[str, float],
) -> str:
    """One run: the nodes it took with their time, the edges with how often, past once."""
    notes = {
        name: f"{timings_ms[name]:,.0f} ms" + (f" in {count} runs" if count > 1 else "")
        for name, count in Counter(path).items()
        if name in timings_ms
    }
    taken = Counter(pairwise(path))
    labels = {pair: f"{count}×" for pair, count in taken.items() if count > 1}
    return _svg(graph, dict.fromkeys(path, 0.0), notes, dict.fromkeys(taken, 2.0), labels)


def counted_svg(
    graph: Topology,
    shares: Mapping[str, float],
    notes: Mapping[str, str],
    taken: Mapping[tuple[str, str], int],
) -> str:
    """Many runs: an edge as wide as it was taken often, a node with a note and a bar of time."""
    most = max(taken.values(), default=1)
    widths = {pair: 1.5 + 4.5 * count / most for pair, count in taken.items() if count}
    labels = {pair: f"{count:,}" for pair, count in taken.items() if count}
    return _svg(graph, shares, notes, widths, labels)


def _svg(
    graph: Topology,
    shares: Mapping[str, float],
    notes: Mapping[str, str],
    widths: Mapping[tuple[str, str], float],
    labels: Mapping[tuple[str, str], str],
) -> str:
    layout = lay_out(graph)
    order = sorted(drawn(graph), key=lambda edge: (edge.source, edge.target) in widths)
    lines = [_line(edge, layout, widths.get((edge.source, edge.target))) for edge in order]
    named = [
        _label(layout.curves[pair], text) for pair, text in labels.items() if pair in layout.curves
    ]
    nodes = [_node(name, layout, shares.get(name), notes.get(name, "")) for name in layout.corners]
    return (
        f'<figure><svg viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" '
        f'width="{layout.width:.0f}" role="img" '
        f'aria-label="the graph, and the ways taken through it"><defs>{_MARKERS}</defs>'
        f"{''.join(lines)}{''.join(nodes)}{''.join(named)}</svg></figure>"
    )


def _line(edge: Edge, layout: Layout, width: float | None) -> str:
    look = "went" if width else "idle"
    dashes = ' stroke-dasharray="5 4"' if edge.conditional and not width else ""
    return (
        f'<path class="edge {look}" d="{layout.curves[edge.source, edge.target].path}" '
        f'stroke-width="{width or 1.2:.1f}"{dashes} marker-end="url(#{look})"/>'
    )


def _label(curve: Curve, text: str) -> str:
    wide = 7.5 * len(text) + 8
    return (
        f'<rect class="tag" x="{curve.x - wide / 2:.0f}" y="{curve.y - 9:.0f}" '
        f'width="{wide:.0f}" height="18" rx="9"/>'
        f'<text class="count" x="{curve.x:.0f}" y="{curve.y + 4:.0f}">{escape(text)}</text>'
    )


def _node(name: str, layout: Layout, share: float | None, note: str) -> str:
    x, y = layout.corners[name]
    look = "idle" if share is None else "went"
    bar = (
        f'<rect class="share" x="{x + 10:.0f}" y="{y + HEIGHT - 7:.0f}" '
        f'width="{max(2.0, (WIDTH - 20) * share):.0f}" height="3" rx="1.5"/>'
        if share
        else ""
    )
    title = y + (19 if note else 28)
    return (
        f'<g class="node {look}"><rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" '
        f'height="{HEIGHT}" rx="9"/>'
        f'<text class="name" x="{x + 10:.0f}" y="{title:.0f}">{escape(name)}</text>'
        f'<text class="note" x="{x + 10:.0f}" y="{y + 34:.0f}">{escape(note)}</text>{bar}</g>'
    )
