"""How runs went through their graph: how often each edge was taken, how long each node took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag.tracing.stored_trace import path_taken
from state.traces import Trace


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

    def nodes(self) -> list[NodeTimes]:
        """What each node took, the longest share first."""
        whole = sum(map(sum, self.times.values())) or 1.0
        rows = [
            NodeTimes(name, len(ms), quantile(ms, 0.5), quantile(ms, 0.95), sum(ms) / whole)
            for name, ms in self.times.items()
        ]
        return sorted(rows, key=lambda row: -row.share)


@dataclass(frozen=True, slots=True)
class NodeTimes:
    """Milliseconds of one node's runs; `share` is of the time of all nodes together."""

    name: str
    runs: int
    median: float
    p95: float
    share: float


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


def node_times(trace: Trace) -> Iterator[tuple[str, float]]:
    """Each run of each node with its milliseconds, in order."""
    for event in trace["events"]:
        if event["event"] == "node_finished":
            yield event["node"], event["ms"]


def quantile(values: Sequence[float], share: float) -> float:
    """The nearest-rank quantile; 0 of nothing."""
    import numpy as np

    return float(np.quantile(values, share, method="inverted_cdf")) if values else 0.0
