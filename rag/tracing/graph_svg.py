"""A graph as an inline SVG, with the nodes and edges of real runs marked and counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from rag.topology import Edge, Place, Topology, drawn

WIDTH, HEIGHT = 132, 46
_X, _Y = 178, 96
_LEFT, _TOP = 12, 58
_MARKERS = "".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" class="{name}"/></marker>'
    for name in ("went", "idle")
)


def path_svg(graph: Topology, path: Sequence[str], timings_ms: Mapping[str, float]) -> str:
    """One run: the nodes it took with their time."""
    notes = {
        name: f"{timings_ms[name]:,.0f} ms" + (f" in {count} runs" if count > 1 else "")
        for name, count in Counter(path).items()
        if name in timings_ms
    }
    return counted_svg(graph, dict.fromkeys(path, 0.0), notes, Counter(pairwise(path)))


def counted_svg(
    graph: Topology,
    shares: Mapping[str, float],
    notes: Mapping[str, str],
    taken: Mapping[tuple[str, str], int],
) -> str:
    """Any number of runs: an edge as wide as it was taken often, with how often, past once; a node
    with a note and a bar of its share of the time.
    """
    layout = lay_out(graph)
    most = max(taken.values(), default=1)
    widths = {pair: 1.5 + 4.5 * (count - 1) / most for pair, count in taken.items() if count}
    order = sorted(drawn(graph), key=lambda edge: (edge.source, edge.target) in widths)
    lines = [_line(edge, layout, widths.get((edge.source, edge.target))) for edge in order]
    named = [
        _label(layout.curves[pair], f"{count:,}")
        for pair, count in taken.items()
        if count > 1 and pair in layout.curves
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


@dataclass(frozen=True, slots=True)
class Curve:
    """An SVG path and the point where its label stands."""

    path: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    corners: Mapping[str, tuple[float, float]]
    """Upper left corner by node."""
    curves: Mapping[tuple[str, str], Curve]
    width: float
    height: float


def lay_out(graph: Topology) -> Layout:
    """Every node, and a curve an edge between nodes."""
    edges = drawn(graph)
    places = {name: step.place for name, step in graph.items()}
    corners = {name: (_LEFT + c * _X, _TOP + r * _Y) for name, (c, r) in places.items()}
    ports = _ports(edges, places, corners)
    curves = {
        (e.source, e.target): _curve(ports[e, 0], ports[e, 1], _sides(e, places)) for e in edges
    }
    width = max(x for x, _ in corners.values()) + WIDTH + _LEFT
    height = max(y for _, y in corners.values()) + HEIGHT + _LEFT
    return Layout(corners, curves, width, height)


def _sides(edge: Edge, places: Mapping[str, Place]) -> tuple[str, str]:
    """The sides that an edge leaves from and arrives at."""
    (c1, r1), (c2, r2) = places[edge.source], places[edge.target]
    if r1 == r2:
        return ("right", "left") if 0 < c2 - c1 <= 1.5 else ("top", "top")
    if r2 > r1:
        return ("bottom", "left") if c2 - c1 >= 1 else ("bottom", "top")
    return ("right" if c2 > c1 else "left", "bottom")


def _ports(
    edges: Iterable[Edge], places: Mapping[str, Place], corners: Mapping[str, tuple[float, float]]
) -> dict[tuple[Edge, int], tuple[float, float]]:
    """Where each edge's two ends touch: evenly along a side, in the order of the other ends."""
    touching: dict[tuple[str, str], list[tuple[Place, Edge, int]]] = defaultdict(list)
    for edge in edges:
        for end, side in enumerate(_sides(edge, places)):
            here, there = (edge.source, edge.target)[:: 1 - 2 * end]
            touching[here, side].append((places[there], edge, end))
    ports = {}
    for (name, side), ends in touching.items():
        along = 0 if side in ("top", "bottom") else 1
        ends.sort(key=lambda item: (item[0][along], item[0][1 - along], item[2]))
        x, y = corners[name]
        for number, (_, edge, end) in enumerate(ends, 1):
            share = number / (len(ends) + 1)
            ports[edge, end] = {
                "left": (x, y + HEIGHT * share),
                "right": (x + WIDTH, y + HEIGHT * share),
                "top": (x + WIDTH * share, y),
                "bottom": (x + WIDTH * share, y + HEIGHT),
            }[side]
    return ports


_OUT = {"left": (-1, 0), "right": (1, 0), "top": (0, -1), "bottom": (0, 1)}


def _curve(start: tuple[float, float], end: tuple[float, float], sides: tuple[str, str]) -> Curve:
    """A cubic curve that leaves and arrives at right angles to the sides."""
    (x1, y1), (x2, y2) = start, end
    reach = 22.0 if sides == ("right", "left") else min(66.0, 40 + 0.12 * abs(x2 - x1))
    (out, down), (back, up) = _OUT[sides[0]], _OUT[sides[1]]
    ax, ay, bx, by = x1 + out * reach, y1 + down * reach, x2 + back * reach, y2 + up * reach
    return Curve(
        f"M{x1:.0f} {y1:.0f}C{ax:.0f} {ay:.0f} {bx:.0f} {by:.0f} {x2:.0f} {y2:.0f}",
        (x1 + 3 * ax + 3 * bx + x2) / 8,
        (y1 + 3 * ay + 3 * by + y2) / 8,
    )
