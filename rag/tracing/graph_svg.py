"""The graph as an inline SVG, with the nodes and edges of real runs marked and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

from rag.diagram import edges

_X, _Y, _WIDTH, _HEIGHT = 190, 74, 140, 34

# Where each node is drawn, in columns and rows; a node that is not named gets a row below.
_PLACES = {
    "start_turn": (0, 0),
    "contextualize": (1, 0),
    "retrieve": (2, 0),
    "grade_documents": (3, 0),
    "transform_query": (3, 1),
    "refine": (4, 0),
    "generate": (5, 0),
    "check_answer": (5, 1),
    "search_web": (4, 1),
    "abstain": (4, 2),
    "record_turn": (5, 2),
}


def graph_svg(path: Sequence[str], timings_ms: Mapping[str, float]) -> str:
    """One run: the nodes it took with their time, the edges with how often they were taken."""
    return counted_svg(Counter(path), Counter(pairwise(path)), timings_ms)


def counted_svg(
    nodes: Mapping[str, int], taken: Mapping[tuple[str, str], int], timings_ms: Mapping[str, float]
) -> str:
    places = dict(_PLACES)
    ends = {"__start__", "__end__"}
    shown = [edge for edge in edges() if not ends & {edge["from"], edge["to"]}]
    for edge in shown:
        for name in (str(edge["from"]), str(edge["to"])):
            places.setdefault(name, (len(places) - len(_PLACES), 3))
    parts = [_edge(places, str(e["from"]), str(e["to"]), taken) for e in shown]
    parts += [_node(name, at, nodes, timings_ms) for name, at in places.items()]
    width = (max(column for column, _ in places.values()) + 1) * _X
    height = (max(row for _, row in places.values()) + 1) * _Y
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="the path taken through the graph">{"".join(parts)}</svg>'
    )


def _node(
    name: str, at: tuple[int, int], nodes: Mapping[str, int], timings_ms: Mapping[str, float]
) -> str:
    x, y = at[0] * _X + 10, at[1] * _Y + 14
    ran = nodes.get(name, 0)
    look = 'stroke="#2a8a4a" stroke-width="2"' if ran else 'stroke="#8888"'
    label = f"{timings_ms[name]:.0f} ms" if ran and name in timings_ms else ""
    times = f" x{ran}" if ran > 1 else ""
    return (
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="7" fill="none" {look}/>'
        f'<text x="{x + 8}" y="{y + 15}">{escape(name)}{times}</text>'
        f'<text x="{x + 8}" y="{y + 29}" opacity=".6">{label}</text>'
    )


def _edge(
    places: Mapping[str, tuple[int, int]],
    source: str,
    target: str,
    taken: Mapping[tuple[str, str], int],
) -> str:
    (c1, r1), (c2, r2) = places[source], places[target]
    x1, y1 = c1 * _X + 10 + _WIDTH / 2, r1 * _Y + 14 + _HEIGHT / 2
    x2, y2 = c2 * _X + 10 + _WIDTH / 2, r2 * _Y + 14 + _HEIGHT / 2
    count = taken.get((source, target), 0)
    look = 'stroke="#2a8a4a" stroke-width="2"' if count else 'stroke="#8886" stroke-dasharray="4"'
    if r1 == r2:
        step = 1 if c2 > c1 else -1
        x1, x2 = x1 + step * _WIDTH / 2, x2 - step * _WIDTH / 2
    else:
        step = 1 if r2 > r1 else -1
        y1, y2 = y1 + step * _HEIGHT / 2, y2 - step * _HEIGHT / 2
    label = (
        f'<text x="{(x1 + x2) / 2 + 4}" y="{(y1 + y2) / 2 - 4}" opacity=".8">{count}</text>'
        if count > 1
        else ""
    )
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {look}/>{label}'
