"""Every line that real runs print with --events is of a type that its stream may have."""

import json
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

import pytest
from crag import crag, interrupted
from document_files import written
from openai_samples import with_model
from research_library import ABSENT, TEXTS, THREE_PARTS
from research_model import decide, researcher, subtask
from scripted_server import ScriptedServer, hang, status, text

from rag.ingest.pipeline import IngestReport
from rag.research.report import Report
from state.answer import Answer
from state.events import Event, IngestEvent
from state.research_state import ResearchEvent

FILES = TEXTS
ANSWERED = "How long is the Stone Bridge?"
MISSPELT = "Who is the enginere?"
STREAMS: dict[str, Any] = {
    "ask": Union[Event, Answer],  # noqa: UP007 - an Event is a union of many
    "research": Union[ResearchEvent, Report],  # noqa: UP007
    "ingest": Union[IngestEvent, IngestReport],  # noqa: UP007
}


def fits(value: Any, kind: Any) -> bool:
    """Whether JSON is of a type: an object has no field that its type does not name."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        found = value in inner
    elif origin in (NotRequired, Union, UnionType):
        found = any(fits(value, each) for each in inner)
    elif origin in (list, tuple):
        found = isinstance(value, list)
        kinds = inner * len(value) if found and origin is list else inner
        found = found and len(value) == len(kinds)
        found = found and all(map(fits, value, kinds))
    elif origin is dict:
        found = isinstance(value, dict) and all(fits(each, inner[1]) for each in value.values())
    elif hasattr(kind, "__annotations__"):
        hints = get_type_hints(kind, include_extras=True)
        must = {key for key, hint in hints.items() if get_origin(hint) is not NotRequired}
        found = isinstance(value, dict) and must <= value.keys() <= {*hints, "schema"}
        found = found and all(fits(value[key], hint) for key, hint in hints.items() if key in value)
    else:
        found = type(value) in ({int, float} if kind is float else {kind})
    return found


def checked(home: Path, *words: str, **variables: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the lines of a run, each of them checked."""
    done = crag(home, *words, "--events", **variables)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        assert fits(line, STREAMS[words[0]]), line
        assert line.get("event") != "answer", "it stands by itself"
    return done.exit_code, lines


@pytest.mark.parametrize(
    ("question", "code", "ending"),
    [(ANSWERED, 0, "answered"), (MISSPELT, 0, "answered"), (ABSENT, 3, "abstained")],
)
def test_a_question_s_stream_ends_with_its_answer(home, question, code, ending):
    exit_code, lines = checked(home, "ask", question)
    assert exit_code == code
    assert lines[0]["event"] == "turn_started"
    assert lines[-1]["schema"] == "crag.answer/1"
    assert list(lines[-1]) == list(Answer.__annotations__), "in the order of the contract"
    assert lines[-1]["status"] == ending
    assert lines[-1]["trace_id"] == lines[0]["trace_id"]


def test_a_stream_holds_a_model_s_calls_and_tokens(home):
    with ScriptedServer(always=text("It is 140 metres long [1].")) as server:
        code, lines = checked(home, "ask", ANSWERED, **with_model(server))
    assert code == 0
    told = [line.get("event") for line in lines]
    assert told.count("model_called") == len(server.requests)
    assert "token" in told


def test_a_follow_up_on_a_thread_fits_too(home):
    checked(home, "ask", "Who designed the Stone Bridge?", "-t", "events")
    code, lines = checked(home, "ask", "And the Iron Bridge?", "-t", "events")
    assert code in (0, 3)
    assert any(line.get("event") == "contextualized" for line in lines)


def test_a_research_run_s_stream_ends_with_its_report(home):
    plan = [
        subtask("searcher", ANSWERED, name="stone"),
        subtask("writer", "Which bridge is longer?", "*", name="answer"),
    ]
    ask = decide("escalate", question="Which of them?")
    with ScriptedServer(always=researcher([plan, []], [ask, decide("end")])) as server:
        code, lines = checked(home, "research", "Which bridge is longer?", **with_model(server))
        assert code == 3
        assert lines[-1]["schema"] == "crag.research/1"
        assert lines[-1]["status"] == "waiting"
        said = ("--resume", "last", "--answer", "All.")
        code, lines = checked(home, "research", *said, **with_model(server))
    assert code == 0
    assert lines[-1]["status"] == "answered"
    told = {line.get("event") for line in lines}
    assert {"research_started", "planned", "reflected", "model_called"} <= told


def test_a_local_research_run_fits_too(home):
    code, lines = checked(home, "research", THREE_PARTS)
    assert code == 0
    assert lines[0]["event"] == "research_started"
    assert lines[-1]["schema"] == "crag.research/1"


def test_an_ingest_s_stream_ends_with_its_report(tmp_path):
    texts = {"a.md": "# One\n\nThe railway opened in 1897.\n", "b.pdf": "%PDF-1.4 broken"}
    files = written(tmp_path / "files", {**texts, "c.bin": "\x00\x01"})
    code, lines = checked(tmp_path / "home", "ingest", str(files), "--strict")
    assert code == 6
    assert lines[-1]["schema"] == "crag.ingest/1"
    outcomes = {line["outcome"] for line in lines if line.get("event") == "file"}
    assert {"added", "failed"} <= outcomes
    (files / "a.md").unlink()
    code, lines = checked(tmp_path / "home", "ingest", str(files))
    assert code == 0
    assert "removed" in {line["outcome"] for line in lines if line.get("event") == "file"}


def test_a_failed_run_s_last_line_says_so(home):
    with ScriptedServer(always=status(500)) as server:
        code, lines = checked(home, "ask", ANSWERED, **with_model(server))
    assert (code, lines[-1]["event"], lines[-1]["error"]) == (5, "failed", "ModelError")
    assert lines[0]["event"] == "turn_started"
    with ScriptedServer(always=text("no")) as server:
        code, _ = checked(home, "research", ANSWERED, "--max-tokens", "1", **with_model(server))
    assert code == 5


def test_an_interrupted_run_prints_whole_lines(home):
    asked = ("ask", ANSWERED, "--events")
    with ScriptedServer(always=hang()) as server:
        code, told, _ = interrupted(home, *asked, at='"grade_documents"', **with_model(server))
    assert code == 130
    assert [json.loads(line) for line in told.splitlines()]
