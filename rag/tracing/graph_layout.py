"""Where the nodes of a graph are drawn, and the curves of the edges between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rag.topology import Edge, Place, Topology, drawn

WIDTH, HEIGHT = 132, 46
_X, _Y = 178, 96
_LEFT, _TOP = 12, 58


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
    edges: Iterable[Edge],
    places: Mapping[str, Place],
    corners: Mapping[str, tuple[float, float]],
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
