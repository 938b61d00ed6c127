"""A turn replayed unchanged on the local engine: same answer, same citations, same path."""

import json
from pathlib import Path
from typing import Any

import pytest
from crag import SAMPLES, sample_home

from rag.research.run import Research
from rag.session import open_session
from rag.tracing import diff_traces, path_taken, recorded_flags, replay
from state.choices import EngineName
from state.errors import UsageError
from state.settings import Settings, load_settings
from state.trace_store import Trace, TraceStore

MISSPELT = "Who is the treasuer?"
UNKNOWN = "What is the capital of Mongolia?"
RESEARCHED = "How many parking spaces are there, and are dogs allowed in the museum?"
TALK = [
    "When is the museum open?",
    "And on Mondays?",
    "What does it cost?",
    "How many arches does the Gillfoot Viaduct have?",
    "And how high is it?",
]


def questions() -> list[str]:
    rows = [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text().splitlines()]
    kinds = {row["kind"]: row["text"] for row in rows if not row["history"]}
    return [*kinds.values(), MISSPELT, UNKNOWN]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_home(tmp_path_factory.mktemp("replay"))


def local(home: Path) -> Settings:
    return Settings(home=home, engine=EngineName.LOCAL, k=3)


def again(trace: Trace, home: Path, **given: Any) -> Trace:
    flags = {**recorded_flags(trace, given.get("engine")), "home": home, **given}
    return replay(trace, load_settings(flags), lambda _line: None)


def identical(one: Trace, other: Trace) -> None:
    assert diff_traces(one, other) == []
    for part in ("answer", "citations", "status", "loops", "standalone_question"):
        assert one["answer"][part] == other["answer"][part]
    assert path_taken(one) == path_taken(other)


def asked(home: Path, *questions: str, thread: str | None = None) -> list[Trace]:
    with open_session(local(home)) as session, TraceStore(Settings(home=home)) as traces:
        return [traces.get(session.ask(each, thread=thread)["trace_id"]) for each in questions]


def test_questions_replay_as_they_went(home: Path):
    before = asked(home, *questions())
    assert any(trace["answer"]["loop_count"] for trace in before), "one was rewritten"
    assert any(trace["answer"]["status"] == "abstained" for trace in before)
    for trace in before:
        identical(trace, again(trace, home))


def test_follow_ups_replay_from_the_history_they_had(home: Path):
    before = asked(home, *TALK, thread="talk")
    resolved = [t for t in before if t["answer"]["standalone_question"] != t["answer"]["question"]]
    assert len(resolved) >= 2
    for trace in before:
        identical(trace, again(trace, home))
    with open_session(local(home)) as session:
        turns = session.memory.store.last_turn("talk")
    assert turns == len(TALK), "a replay adds nothing to a thread"


def test_other_settings_show_in_the_difference(home: Path):
    (trace,) = asked(home, MISSPELT)
    other = again(trace, home, max_loops=0, k=5)
    found = {difference["what"]: difference for difference in diff_traces(trace, other)}
    assert (found["k"]["a"], found["k"]["b"]) == ("3", "5")
    assert found["max_loops"]["b"] == "0"
    assert any("relevant" in str(each["b"]) for what, each in found.items() if "loop 0" in what)


def test_a_research_run_is_neither_replayed_nor_compared(home: Path):
    with Research(local(home)) as research:
        run_id = research.start(RESEARCHED)["run_id"]
    with TraceStore(Settings(home=home)) as traces:
        run = traces.get(run_id)
    (question,) = asked(home, UNKNOWN)
    with pytest.raises(UsageError, match="compared"):
        diff_traces(run, question)
    with pytest.raises(UsageError, match="not replayed"):
        again(run, home)
