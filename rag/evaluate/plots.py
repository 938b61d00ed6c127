"""Plots as inline SVG: no script, no font, no image from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from rag.evaluate.metrics import Bin

STYLE = """
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
  gap: 1rem; margin: 1.6rem 0 }
.plots figure { padding: .6rem 1.2rem 1rem } .plots svg { min-width: 0; width: 100% }
.plots { --one: light-dark(#1f6feb, #6ea8ff); --two: light-dark(#d9730d, #ffa657) }
.grid { stroke: var(--line); stroke-width: 1 } .axis { stroke: var(--soft); stroke-width: 1 }
.ideal { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 5 }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round }
.line.one { stroke: var(--one) } .dot.one { fill: var(--one) }
.line.two { stroke: var(--two) } .dot.two { fill: var(--two) }
.line.good { stroke: var(--good) } .dot.good { fill: var(--good) }
.line.bad { stroke: var(--bad) } .dot.bad { fill: var(--bad) }
.line.none { stroke: var(--soft) } .dot.none { fill: var(--soft) }
.amount { fill: var(--line) }
"""
"""Colours that colour-blind people can tell apart, light and dark."""

_WIDTH, _HEIGHT = 520, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 14, 44


@dataclass(frozen=True, slots=True)
class Series:
    """Points (x, y) in order; `css` is the class that colours them."""

    name: str
    points: Sequence[tuple[float, float]]
    css: str = "one"


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference with its bounds, for `intervals`."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class _Frame:
    """Data coordinates to pixels."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        span = (value - self.x_low) / ((self.x_high - self.x_low) or 1)
        return round(_LEFT + span * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        span = (value - self.y_low) / ((self.y_high - self.y_low) or 1)
        return round(_HEIGHT - _BOTTOM - span * (_HEIGHT - _TOP - _BOTTOM), 1)

    def curve(self, points: Iterable[tuple[float, float]], css: str) -> str:
        path = " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)
        return f'<polyline class="line {css}" points="{path}"/>'


def lines(
    title: str, series: Sequence[Series], x_label: str, x_ticks: Sequence[float], *, whole: bool
) -> str:
    """Shares against x. `whole`: the y axis is 0 to 1, else fitted to the data."""
    xs = [x for one in series for x, _ in one.points]
    ys = [y for one in series for _, y in one.points]
    low, high = (0.0, 1.0) if whole else _fitted(ys)
    frame = _Frame(min(xs), max(*xs, min(xs) + 1), low, high)
    parts = _axes(frame, x_label, [(x, f"{x:g}") for x in x_ticks], _share_ticks(low, high))
    for one in series:
        parts.append(frame.curve(one.points, one.css))
        for x, y in one.points:
            tip = f"{one.name}, {x_label} {x:g}: {y:.3f}"
            parts.append(_dot(frame.x(x), frame.y(y), one.css, tip))
    if len(series) > 1:
        for place, one in enumerate(series):
            y = _HEIGHT - _BOTTOM - 14 - 18 * (len(series) - 1 - place)
            parts.append(_dot(_WIDTH - 180, y - 4, one.css, one.name))
            parts.append(_text(_WIDTH - 168, y, one.name, "start"))
    return _svg(title, parts)


def reliability_curve(title: str, bins: Sequence[Bin]) -> str:
    """Share that was relevant against the confidence, with the number in each bin below."""
    frame = _Frame(0, 1, 0, 1)
    ticks = [(t / 5, f"{t / 5:g}") for t in range(6)]
    parts = _axes(frame, "confidence of the grader", ticks, ticks)
    most = max((held.n for held in bins), default=0) or 1
    for held in bins:
        height = (frame.y(0) - frame.y(0.25)) * held.n / most
        width = frame.x(held.upper) - frame.x(held.lower) - 2
        parts.append(
            f'<rect class="amount" x="{frame.x(held.lower) + 1}" y="{frame.y(0) - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}"><title>{held.n:,} chunks</title></rect>'
        )
    parts.append(_line("ideal", frame.x(0), frame.y(0), frame.x(1), frame.y(1)))
    known = [
        (held.confidence, held.share, held.n)
        for held in bins
        if held.confidence is not None and held.share is not None
    ]
    parts.append(frame.curve([(confidence, share) for confidence, share, _ in known], "one"))
    for confidence, share, n in known:
        tip = f"confidence {confidence:.2f}: {share:.1%} of {n:,} are relevant"
        parts.append(_dot(frame.x(confidence), frame.y(share), "one", tip))
    return _svg(title, parts)


def intervals(title: str, rows: Sequence[Interval]) -> str:
    """Differences of shares with their intervals against a line at no difference."""
    reach = max((max(abs(row.low), abs(row.high)) for row in rows), default=0) or 0.01
    left, right, step = 210, 70, 30
    middle, scale = (left + _WIDTH - right) / 2, (_WIDTH - right - left) / 2 / (reach * 1.05)
    height = 16 + step * len(rows)
    parts = [_line("axis", middle, 2, middle, height - 4)]
    for place, row in enumerate(rows):
        y = 20 + place * step
        sure = row.low * row.high > 0
        css = "none" if not sure else "good" if row.value > 0 else "bad"
        low, high, at = (round(middle + x * scale, 1) for x in (row.low, row.high, row.value))
        parts.append(_text(left - 14, y + 4, row.name, "end"))
        parts.append(_line(f"line {css}", low, y, high, y))
        parts.append(_dot(at, y, css, f"{row.low:+.4f} to {row.high:+.4f}"))
        parts.append(_text(_WIDTH - right + 8, y + 4, f"{row.value:+.3f}", "start"))
    return _svg(title, parts, height=height)


def _axes(
    frame: _Frame,
    x_label: str,
    x_ticks: Sequence[tuple[float, str]],
    y_ticks: Sequence[tuple[float, str]],
) -> list[str]:
    parts = []
    for value, text in y_ticks:
        y = frame.y(value)
        parts.append(_line("grid", _LEFT, y, _WIDTH - _RIGHT, y))
        parts.append(_text(_LEFT - 8, y + 4, text, "end"))
    base = frame.y(frame.y_low)
    parts.append(_line("axis", _LEFT, base, _WIDTH - _RIGHT, base))
    parts.extend(_text(frame.x(value), base + 18, text, "middle") for value, text in x_ticks)
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, x_label, "middle"))
    return parts


def _fitted(values: Sequence[float]) -> tuple[float, float]:
    """The tenths around the values, at least two apart."""
    low = int(min(values) * 10) / 10
    high = min(1.0, -int(-max(values) * 10 // 1) / 10)
    return (max(0.0, high - 0.2), high) if high - low < 0.2 else (low, high)


def _share_ticks(low: float, high: float) -> list[tuple[float, str]]:
    tenths = round((high - low) * 10)
    steps = 5 if tenths == 10 else tenths if tenths > 2 else 2 * tenths
    values = [low + (high - low) * step / steps for step in range(steps + 1)]
    return [(value, f"{value:.2f}") for value in values]


def _line(css: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{css}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _dot(x: float, y: float, css: str, tip: str) -> str:
    return (
        f'<circle class="dot {css}" cx="{x}" cy="{y}" r="4"><title>{escape(tip)}</title></circle>'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(title: str, parts: Sequence[str], *, height: float = _HEIGHT) -> str:
    name = escape(title, quote=True)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-label="{name}">'
        f"{''.join(parts)}</svg>"
    )
