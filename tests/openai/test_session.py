"""Whole turns with a model over real HTTP: calls, budgets, usage, and where the key is not."""

import json
import re
from io import StringIO

import pytest
from openai_samples import QUESTION, asked, settings_for, verdict
from rich.console import Console
from scripted_server import ScriptedServer, call, shape_asked, status, stream, text

from cli.render.trace_view import TraceView
from rag.session import open_session
from rag.tracing import path_taken
from state.errors import BudgetError, ModelError
from state.settings import Settings
from state.trace_store import TraceStore

FILES = {
    "paris.md": "# Paris\n\nThe capital of France is Paris.\n",
    "rome.md": "# Rome\n\nThe capital of Italy is Rome.\n",
    "tea.md": "# Tea\n\nGreen tea is steeped for two minutes.\n",
}


def model(better="seat of government", usage=(100, 10)):
    """A model that knows Paris when it reads of it, grades, rewrites and answers."""

    def reply(body):
        prompt = body["messages"][1]["content"]
        known = "France" in prompt.rsplit("Question:", 1)[1]
        if shape_asked(body):
            documents = re.findall(r"(document_\d+)[^\n]*\n(.*?)</document>", prompt, re.DOTALL)
            rows = {name: verdict(known and "France is Paris" in told) for name, told in documents}
            return call(rows, usage=usage)(body)
        if "Tried:" in prompt:
            return call({"queries": [f"{better} {len(prompt)}"]})(body)
        if body["messages"][0]["content"].startswith("Rewrite the last question"):
            return call({"question": "Say again, what is the capital of France?"})(body)
        number = re.search(r"(\[\d+\])[^\n]*\n(?:(?!</document>).)*Paris\.", prompt, re.DOTALL)
        if number is None:
            return text("I cannot answer this from the documents.")(body)
        return text(f"The capital of France is Paris {number[1]}.")(body)

    return reply


def session_of(server, home, **changed):
    return open_session(settings_for(server, home=home, grader="model", **changed))


def test_a_question_answered_at_once_costs_two_calls_where_a_model_grades(home):
    first, requests = asked(home, model(), grader="model")
    assert len(requests) == 2
    assert first["status"] == "answered"
    assert "Paris" in first["answer"]
    assert [c["source"].rsplit("/")[-1] for c in first["citations"]] == ["paris.md"]
    assert first["engine"]["name"] == "openai"
    assert first["usage"]["llm_calls"] == 2
    assert first["usage"]["by_node"]["grade_documents"]["input_tokens"] == 100
    assert first["usage"]["by_node"]["generate"]["output_tokens"] == 10
    assert first["usage"]["cost_usd"] == pytest.approx(2 * (100 * 0.15 + 10 * 0.60) / 1e6)


@pytest.mark.parametrize(("given", "found"), [({"k": 1}, 1), ({}, 3)])
def test_a_model_is_given_as_many_chunks_as_were_asked_for(home, given, found):
    answer, _ = asked(home, model(), **given)
    assert len(answer["loops"][0]["chunks"]) == found


def test_a_follow_up_adds_one(home):
    with ScriptedServer(always=model()) as server, session_of(server, home) as session:
        session.ask(QUESTION, thread="t")
        before = len(server.requests)
        answer = session.ask("And what is it again?", thread="t")
        assert answer["standalone_question"] == "Say again, what is the capital of France?"
        assert len(server.requests) - before == 3


def test_a_budget_spent_before_the_answer_is_an_error(home):
    costly = model(usage=(690, 20))
    tokens = {"max_tokens": 700}
    with ScriptedServer(always=costly) as server, session_of(server, home, **tokens) as session:
        with pytest.raises(BudgetError, match="700 tokens"):
            session.ask(QUESTION)
        assert len(server.requests) == 1  # the grades; nothing is left for the answer


def test_a_draft_that_was_sent_back_stands_where_the_budget_ends(home):
    parts = [{"text": "Rome is it.", "quotes": []}]
    said = json.dumps({"parts": parts, "held": True, "missing": ["since when"]})
    answer, _ = asked(home, text(said, usage=(2_400, 50)), max_tokens=2_500)
    assert answer["usage"]["llm_calls"] == 1
    assert answer["answer"] == "Rome is it (no quote found)."
    assert (answer["status"], answer["missing"]) == ("partial", ["since when"])
    assert any("--max-tokens" in warning for warning in answer["warnings"])


def test_a_failed_turn_leaves_a_trace_that_says_where_it_failed(home):
    fails = pytest.raises(ModelError, match="500")
    oops = status(500, "oops <b>")
    with ScriptedServer(always=oops) as server, session_of(server, home) as session, fails:
        list(session.stream(QUESTION, thread="t"))
    with TraceStore(Settings(home=home)) as traces:
        (row,) = traces.summaries()
        trace = traces.get("last")
    assert (row["trace_id"], row["thread"]) == (trace["trace_id"], "t")
    failed = trace["events"][-1]
    assert failed["event"] == "failed"
    assert (failed["node"], failed["error"]) == (path_taken(trace)[-1], "ModelError")
    assert "500" in failed["message"]
    calls = [event for event in trace["events"] if event["event"] == "model_called"]
    assert [(call["node"], call["failed"]) for call in calls] == [("grade_documents", True)]
    assert [e["query"] for e in trace["events"] if e["event"] == "retrieved"] == [QUESTION]
    shown = StringIO()
    TraceView(Console(file=shown, width=200)).show_stored(trace)
    assert shown.getvalue().splitlines()[-1] == f"└─ failed in {failed['node']} (ModelError)"


def test_a_cancelled_turn_leaves_no_trace(home):
    with ScriptedServer(always=model()) as server, session_of(server, home) as session:
        turn = session.stream(QUESTION)
        assert next(turn)["event"] == "turn_started"
        assert next(turn)["event"] == "node_started"
        turn.close()
    with TraceStore(Settings(home=home)) as traces:
        assert traces.summaries() == []


def test_an_answer_that_broke_off_is_partial(home):
    def breaks_off(body):
        said = stream("Paris is it [1].", " And", ending="cut")
        return (model() if shape_asked(body) else said)(body)

    answer, requests = asked(home, breaks_off, grader="model", max_retries=2)
    assert (answer["status"], "Paris" in answer["answer"]) == ("partial", True)
    assert (len(answer["warnings"]), len(requests)) == (1, 2)
