from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from trace_runs import ANSWERED, HOSTILE, MISSPELT, RESEARCHED, UNKNOWN, ask_all, local, make_home

from rag.research.roles import ResearchOptions
from rag.research.run import Research
from rag.topology import CORRECTIVE, END, START, edges_of
from rag.tracing.graph_page import flow_of, graph_page, quantile
from rag.tracing.trace_page import trace_page
from state.settings import load_settings
from state.trace_store import TraceStore
from state.traces import TraceFilter

VOID = {"meta", "link", "br", "hr", "img", "input"}
OPTIONAL = {"td", "th", "tr", "li", "p", "html"}


class Checked(HTMLParser):
    """Notes tags that are not closed, and whatever a page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [
            f"{tag} {name}={value}"
            for name, value in attrs
            if name in ("src", "href", "action", "xlink:href") and not (value or "").startswith("#")
        ]
        if tag not in VOID and tag not in OPTIONAL:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in OPTIONAL:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = make_home(tmp_path_factory.mktemp("traced"))
    ask_all(home, ANSWERED, MISSPELT, UNKNOWN, HOSTILE)
    with Research(local(home), ResearchOptions()) as research:
        research.start(RESEARCHED)
    return home


def self_contained(text: str) -> Checked:
    page = Checked(text)
    assert page.open == []
    assert page.loads == []
    assert "script" not in page.tags
    assert "default-src 'none'" in text
    return page


def test_the_graph_page_counts_every_edge_that_the_stored_runs_took(home: Path):
    text = graph_page(load_settings({"home": home}))
    self_contained(text)
    with TraceStore(home) as traces:
        every = list(traces.every("answer"))
    taken = flow_of(every).edges
    assert taken["__start__", "start_turn"] == len(every) >= 5
    assert taken["transform_query", "retrieve"] >= 1
    assert f"<b>{len(every)}</b>questions" in text
    for edge in edges_of(CORRECTIVE):
        count = taken[edge.source, edge.target]
        assert f">{count}</text>" in text or {edge.source, edge.target} & {START, END} or count < 2
    unknown = set(taken) - {(e.source, e.target) for e in edges_of(CORRECTIVE)}
    assert unknown == set(), "a run took a way that the compiled graph does not have"
    assert "1 research run kept since" in text


def test_every_node_that_ran_has_its_time(home: Path):
    with TraceStore(home) as traces:
        flow = flow_of(traces.every("answer"))
    assert len(flow.times["start_turn"]) == len(flow.times["record_turn"]) == flow.runs
    assert sum(flow.shares().values()) == pytest.approx(1)


def test_without_runs_the_page_says_so_and_makes_nothing(tmp_path: Path):
    text = graph_page(load_settings({"home": tmp_path / "nowhere"}))
    self_contained(text)
    assert "No run was kept yet" in text
    assert not (tmp_path / "nowhere").exists()


def test_a_turn_s_page_holds_its_loops_and_marks_what_counted(home: Path):
    with TraceStore(home) as traces:
        (row,) = traces.summaries(wanted=TraceFilter(text="treasuer"))
        trace = traces.get(row["trace_id"])
    text = trace_page(trace, local(home))
    self_contained(text)
    assert text.count("<article>") == len(trace["answer"]["loops"]) >= 2
    assert "<mark>" in text
    assert "rewrite the query" in text


def test_what_documents_and_questions_hold_is_text_on_the_page(home: Path):
    with TraceStore(home) as traces:
        (row,) = traces.summaries(wanted=TraceFilter(text="stoker"))
        text = trace_page(traces.get(row["trace_id"]), local(home))
    self_contained(text)
    assert "&lt;script&gt;" in text
    assert "&lt;b&gt;stoker" in text


def test_a_research_question_may_begin_with_any_word(home: Path):
    with Research(local(home), ResearchOptions()) as research:
        run = research.start("bar: what is it made of?")
    with TraceStore(home) as traces:
        page = self_contained(trace_page(traces.get(run["run_id"]), local(home)))
        traces.delete(run["run_id"])
    assert "svg" in page.tags


def test_a_research_page_holds_its_rounds_and_its_questions_loops(home: Path):
    with TraceStore(home) as traces:
        trace = traces.get("last")
        asked = traces.summaries(wanted=TraceFilter(parent=trace["trace_id"]))
    assert trace["kind"] == "research"
    assert asked
    text = trace_page(trace, local(home))
    self_contained(text)
    assert "<h2>Round 1</h2>" in text
    assert all(row["trace_id"] in text for row in asked)
    assert "120 spaces" in text


def test_chunks_that_left_the_collection_are_told_of(home: Path, tmp_path: Path):
    with TraceStore(home) as traces:
        trace = traces.get("last")
    assert "no longer in the collection" in trace_page(trace, local(tmp_path)) or not any(
        event["event"] == "retrieved" for event in trace["events"]
    )


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [([], 0.5, 0.0), ([7], 0.95, 7), ([1, 2, 3], 0.5, 2), (range(1, 101), 0.95, 95)],
)
def test_quantiles_are_nearest_ranks(values, share, found):
    assert quantile(values, share) == found
