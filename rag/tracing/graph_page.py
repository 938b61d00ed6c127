"""The graphs as they are compiled, as a page, with the counts of real runs on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from itertools import pairwise

from rag.pages.page_frame import page
from rag.pages.pieces import tiles
from rag.topology import CORRECTIVE, END, RESEARCH, START, Topology
from rag.tracing.graph_svg import counted_svg
from rag.tracing.stored_trace import node_times, path_taken
from state.counting import many, plural
from state.settings import Settings
from state.shared_place import open_traces
from state.traces import Trace

_LEGEND = (
    "Drawn from the compiled graph by <code>crag graph --html</code>. Solid lines were taken, as "
    "wide as they were taken often; dashed ones are conditional and were not. A bar in a node is "
    "its share of the time, its note the median and that share."
)


@dataclass(slots=True)
class Flow:
    """Of any number of runs; `since` is when the first of them was kept, seconds since 1970."""

    runs: int = 0
    since: float | None = None
    statuses: Counter[str] = field(default_factory=Counter)
    loops: Counter[int] = field(default_factory=Counter)
    edges: Counter[tuple[str, str]] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    totals: list[float] = field(default_factory=list)

    def shares(self) -> dict[str, float]:
        """Of the time of all nodes together, by node."""
        whole = sum(map(sum, self.times.values())) or 1.0
        return {name: sum(ms) / whole for name, ms in self.times.items()}


def flow_of(traces: Iterable[Trace]) -> Flow:
    flow = Flow()
    for trace in traces:
        answer = trace["answer"]
        at = trace["created_at"]
        flow.runs += 1
        flow.since = at if flow.since is None else min(flow.since, at)
        flow.statuses[answer["status"]] += 1
        flow.loops[answer["loop_count"]] += 1
        flow.totals.append(answer["timings_ms"]["total"])
        flow.edges.update(pairwise(["__start__", *path_taken(trace), "__end__"]))
        for name, ms in node_times(trace):
            flow.times.setdefault(name, []).append(ms)
    return flow


def quantile(values: Sequence[float], share: float) -> float:
    """The nearest-rank quantile; 0 of nothing."""
    import numpy as np

    return float(np.quantile(values, share, method="inverted_cdf")) if values else 0.0


def graph_page(settings: Settings) -> str:
    """A self-contained page of both graphs, counted from the traces that were kept.

    Raises:
        CragError: the trace store cannot be read.
    """
    with open_traces(settings) as traces:
        turns = flow_of(traces.every("answer"))
        runs = flow_of(traces.every("research"))
    body = [
        "<h1>crag: the graph, and how it was used</h1>",
        f"<p class=meta>{escape(_kept(turns, runs))}</p>",
        "<h2>Questions: the corrective graph</h2>",
        *_section(CORRECTIVE, turns, "question"),
        "<h2>Research: rounds of plan, dispatch and reflection</h2>",
        *_section(RESEARCH, runs, "run"),
        f"<footer>{_LEGEND}</footer>",
    ]
    return page("crag graph", "\n".join(body))


def _kept(turns: Flow, runs: Flow) -> str:
    first = min((at for at in (turns.since, runs.since) if at is not None), default=None)
    if first is None:
        return "No run was kept yet, so there is nothing to count: every `crag ask` keeps a trace."
    since = datetime.fromtimestamp(first, UTC).astimezone()
    return (
        f"{many(turns.runs, 'question')} and {many(runs.runs, 'research run')} kept since "
        f"{since:%Y-%m-%d %H:%M}. Traces are dropped with age, so these are recent ones; a "
        "research run's own questions count among the questions."
    )


def _section(graph: Topology, flow: Flow, what: str) -> Iterator[str]:
    shares = flow.shares()
    median = {name: _ms(quantile(ms, 0.5)) for name, ms in flow.times.items()}
    if flow.runs:
        yield tiles(_facts(flow, what))
    else:
        yield f"<p class=gone>No {what} was kept yet: nothing is counted here.</p>"
    yield counted_svg(
        graph,
        shares,
        {name: f"{median[name]} · {share:.0%}" for name, share in shares.items()},
        {edge: count for edge, count in flow.edges.items() if not {START, END} & set(edge)},
    )


def _facts(flow: Flow, what: str) -> dict[str, str]:
    facts = {plural(flow.runs, what): f"{flow.runs:,}"}
    for status, count in flow.statuses.most_common():
        facts[status] = f"{count / flow.runs:.0%}"
    if len(flow.loops) > 1:
        corrected = flow.runs - flow.loops[0]
        facts["corrected at least once"] = f"{corrected / flow.runs:.0%}"
    facts["median"] = _ms(quantile(flow.totals, 0.5))
    facts["p95"] = _ms(quantile(flow.totals, 0.95))
    return facts


def _ms(ms: float) -> str:
    if ms >= 10_000:
        return f"{ms / 1000:,.1f} s"
    return f"{ms:,.0f} ms" if ms >= 10 else f"{ms:.1f} ms"
