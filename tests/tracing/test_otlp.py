"""Traces sent to a real OTLP receiver: what is in them, what is not, and that nothing waits."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from openai_samples import settings_for
from otlp_collector import Collector
from research_library import library
from research_model import decide, researcher, subtask
from scripted_server import ScriptedServer

from rag.research.roles import ResearchOptions
from rag.research.run import Research
from rag.session import open_session
from rag.tracing.otlp import collector_of
from state.errors import SettingsError, UsageError
from state.settings import Settings, load_settings
from state.trace_store import TraceStore

ROOT = Path(__file__).parents[2]
QUESTION = "How long is the Stone Bridge?"
STONE = subtask("searcher", "How long is the Stone Bridge?", name="stone")
WRITER = subtask("writer", "Which bridge is longer?", "*", name="answer")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("otlp")).settings.home


def ask(home: Path, collector: Collector, **more: object) -> str:
    """The question's trace id, once everything was sent."""
    settings = Settings(home=home, engine="local", otlp_endpoint=collector.url, **more)
    with open_session(settings) as session:
        return session.ask(QUESTION)["trace_id"]


def test_a_turn_is_a_tree_of_spans_with_the_trace_s_own_times(home: Path):
    with Collector() as collector:
        trace_id = ask(home, collector)
    with TraceStore(home) as traces:
        trace = traces.get(trace_id)
    assert collector.paths == ["/v1/traces"]
    assert collector.headers[0]["content-type"] == "application/x-protobuf"
    (root,) = [span for span in collector.spans if not span.parent]
    assert root.name == "invoke_agent crag"
    assert root.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert root.attributes["gen_ai.agent.name"] == "crag"
    assert root.attributes["crag.trace_id"] == trace_id
    assert root.attributes["crag.status"] == trace["answer"]["status"]
    nodes = collector.beneath(root)
    finished = [e for e in trace["events"] if e["event"] == "node_finished"]
    assert [span.attributes["crag.node"] for span in nodes] == [e["node"] for e in finished]
    began = [e["at_ms"] for e in trace["events"] if e["event"] == "node_started"]
    for span, event, at in zip(nodes, finished, began, strict=True):
        assert span.end - span.start == pytest.approx(event["ms"], abs=0.01)
        assert span.start - root.start == pytest.approx(at, abs=0.01)
        assert root.start <= span.start <= span.end <= root.end
    assert len({span.id for span in collector.spans}) == len(collector.spans)
    assert len({span.trace for span in collector.spans}) == 1
    retrieval = next(span for span in nodes if span.attributes["crag.node"] == "retrieve")
    assert retrieval.name == "retrieval default"
    assert retrieval.attributes["gen_ai.operation.name"] == "retrieval"
    assert retrieval.attributes["crag.chunks"] > 0


def test_nothing_that_was_asked_or_read_is_sent_without_the_second_setting(home: Path):
    with Collector() as bare:
        ask(home, bare)
    with Collector() as full:
        ask(home, full, otlp_content=True)
    words = (b"Stone", b"bridge", b".md", b"metres")
    assert not any(word.lower() in bare.bodies[0].lower() for word in words)
    root = full.spans[0].attributes
    assert QUESTION in root["gen_ai.input.messages"]
    assert "gen_ai.output.messages" in root
    retrieval = full.named("retrieval default")[0].attributes
    assert retrieval["gen_ai.retrieval.query.text"] == QUESTION
    assert "score" in retrieval["gen_ai.retrieval.documents"]


def test_each_model_call_is_a_span_beneath_its_node(home: Path):
    with Collector() as collector, ScriptedServer(always=researcher([], [])) as server:
        settings = settings_for(
            server, home=home, grader="model", engine="openai", otlp_endpoint=collector.url
        )
        with open_session(settings) as session:
            answer = session.ask(QUESTION)
    calls = collector.named("chat gpt-4o-mini")
    assert len(calls) == answer["usage"]["llm_calls"] == len(server.requests) >= 2
    parents = {span.id: span for span in collector.spans}
    assert [parents[call.parent].attributes["crag.node"] for call in calls] == [
        "grade_documents",
        "generate",
    ]
    assert {call.attributes["gen_ai.prompt.name"].partition("/")[0] for call in calls} == {
        "grade",
        "generate",
    }
    for call in calls:
        assert call.kind == 3, "CLIENT"
        assert call.attributes["gen_ai.operation.name"] == "chat"
        assert call.attributes["gen_ai.provider.name"] == "openai"
        assert call.attributes["gen_ai.request.model"] == "gpt-4o-mini"
        assert call.attributes["gen_ai.usage.input_tokens"] == 100
        assert call.attributes["gen_ai.usage.output_tokens"] == 10
        assert call.attributes["server.address"] == "127.0.0.1"
        assert call.start >= parents[call.parent].start
        assert call.end <= parents[call.parent].end
    root = collector.spans[0].attributes
    assert root["gen_ai.usage.input_tokens"] == answer["usage"]["input_tokens"]
    assert b"sk-test" not in collector.bodies[0]


def test_a_research_run_holds_its_subtasks(home: Path):
    script = researcher([[STONE]], [decide("end")])
    with Collector() as collector, ScriptedServer(always=script) as server:
        settings = settings_for(
            server, home=home, grader="model", engine="openai", otlp_endpoint=collector.url
        )
        with Research(settings, ResearchOptions()) as research:
            report = research.start("Which bridge is longer?")
    (root,) = [span for span in collector.spans if not span.parent]
    assert root.name == "invoke_agent crag.research"
    assert root.attributes["crag.trace_id"] == report["run_id"]
    nodes = [span.attributes["crag.node"] for span in collector.beneath(root)]
    assert nodes == ["cleanup", "plan", "dispatch", "reflect", "write"]
    for node, role in (("dispatch", "searcher"), ("write", "writer")):
        (span,) = [s for s in collector.beneath(root) if s.attributes["crag.node"] == node]
        assert {s.name for s in collector.beneath(span)} == {f"invoke_agent {role}"}
    assert len(collector.named("chat gpt-4o-mini")) == len(server.requests)
    assert len(collector.bodies) == 1, "the run's questions are sent with it, not by themselves"
    for span in collector.spans:
        assert root.start <= span.start <= span.end <= root.end + 0.001


def test_the_headers_that_a_collector_wants_are_sent(home: Path):
    with Collector() as collector:
        ask(home, collector, otlp_headers="Authorization=Basic YTpi,X-Scope=one")
    assert collector.headers[0]["authorization"] == "Basic YTpi"
    assert collector.headers[0]["x-scope"] == "one"


@pytest.mark.parametrize(
    "changed",
    [
        {"otlp_endpoint": "localhost:4318"},
        {"otlp_endpoint": "ftp://localhost"},
        {"otlp_endpoint": "http://user:secret@localhost:4318"},
        {"otlp_endpoint": "http://localhost:4318", "otlp_headers": "no value"},
        {"otlp_endpoint": "http://localhost:4318", "otlp_headers": "A=b\r\nHost: c"},
    ],
)
def test_settings_that_cannot_be_used_are_named(changed):
    with pytest.raises((SettingsError, UsageError), match=r"otlp[_-]"):
        collector_of(load_settings(changed))


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://localhost:4318", "/v1/traces"),
        ("http://localhost:4318/", "/v1/traces"),
        ("http://localhost:4318/v1/traces", "/v1/traces"),
        ("https://cloud.example/api/public/otel", "/api/public/otel/v1/traces"),
    ],
)
def test_the_path_is_the_protocol_s(url, path):
    collector = collector_of(Settings(otlp_endpoint=url))
    assert collector is not None
    assert collector.path == path


def asked_with(home: Path, url: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cli", "ask", QUESTION, "--engine", "local", *more]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "CRAG_HOME": str(home), "CRAG_OTLP_ENDPOINT": url},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_an_unreachable_collector_is_one_notice_and_no_more(home: Path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = asked_with(home, f"http://127.0.0.1:{port}")
    assert done.returncode == 0
    assert "[1]" in done.stdout
    (line,) = [line for line in done.stderr.splitlines() if "not sent" in line]
    assert f"127.0.0.1:{port}" in line
    assert "not sent" not in asked_with(home, f"http://127.0.0.1:{port}", "-q").stderr


def test_a_collector_that_never_replies_holds_nothing_up_for_long(home: Path):
    notices: list[str] = []
    with Collector(hangs=True) as collector:
        settings = Settings(home=home, engine="local", otlp_endpoint=collector.url)
        with open_session(settings, notices.append) as session:
            answers = [session.ask(QUESTION) for _ in range(3)]
            before = time.monotonic()
        assert time.monotonic() - before < 20
    assert all(answer["status"] == "answered" for answer in answers)
    assert len([line for line in notices if "not sent" in line]) == 1


def test_a_refusal_is_told_with_its_status(home: Path):
    notices: list[str] = []
    with Collector(status=401) as collector:
        settings = Settings(home=home, engine="local", otlp_endpoint=collector.url)
        with open_session(settings, notices.append) as session:
            session.ask(QUESTION)
    assert any("401" in line for line in notices)


def test_without_the_setting_nothing_of_it_is_imported_whatever_otel_says(home: Path):
    code = (
        "import sys; from rag.session import open_session; from state.settings import Settings;"
        f"s = open_session(Settings(home={str(home)!r}, engine='local'));"
        f"s.ask({QUESTION!r}); s.close();"
        "print([m for m in sys.modules if m == 'rag.tracing.otlp'])"
    )
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == "[]", done.stdout
