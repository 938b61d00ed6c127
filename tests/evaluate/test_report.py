"""From measurements to figures, and to the table."""

import json
import re

import pytest

from cli.commands.eval import print_report
from cli.terminal import Terminal
from rag.evaluate.datasets import Query
from rag.evaluate.measure import GradedPair, Measurement
from rag.evaluate.report import build_report
from state.answer import NO_USAGE, add_usage

CONTRACT = {
    "retrieval": {"recall@5", "recall@10", "recall@20", "ndcg@10", "mrr"},
    "grading": {"accuracy", "precision", "recall", "f1", "auc", "n"},
    "abstention": {"precision", "recall", "f1", "answered_unanswerable", "n"},
    "answers": {"contains", "token_f1", "n"},
    "citations": {"verbatim", "precision"},
    "loops": {"mean", "rate", "gain_recall@5", "hurt"},
    "latency_ms": {"p50", "p95"},
    "usage": {"llm_calls", "input_tokens", "output_tokens", "cost_usd"},
}
CONFIG = {"engine": "local", "model": None, "k": 8, "max_loops": 3, "documents": 40, "chunks": 80}
GRADED = [GradedPair(True, True, 0.9), GradedPair(False, False, 0.2)]
CALLS = {"llm_calls": 2, "input_tokens": 100, "output_tokens": 10, "cost_usd": 0.001}
USAGE = add_usage(NO_USAGE, "generate", CALLS)


def query(**changed) -> Query:
    made = {"id": "q", "text": "How long is it?", "answers": ["two metres"], "relevant": ["d1"]}
    return Query.model_validate({**made, **changed})


def answer(text="It is two metres long [1].", status="answered", loops=0, usage=USAGE):
    return {"answer": text, "status": status, "loop_count": loops, "usage": usage}


def measurement(**changed) -> Measurement:
    made = {
        "query": query(),
        "ranking": ["d1", "d2"],
        "graded": GRADED,
        "answer": answer(),
        "known": [["d1", "d2"]],
        "cited": [("d1", True)],
        "milliseconds": 12.0,
    }
    return Measurement(**{**made, **changed})


UNANSWERABLE = query(answers=[], relevant=[], answerable=False)


def figures(*measured: Measurement, **more):
    return build_report("made up", CONFIG, measured, **more)


def test_figures_by_hand():
    made = figures(
        measurement(milliseconds=10),
        measurement(
            ranking=["x", "d1"],
            answer=answer("It is a metre long [1][2].", loops=1),
            cited=[("x", True), ("d1", False)],
            known=[["x"], ["d1", "x"]],
            milliseconds=20,
        ),
        measurement(answer=answer(status="abstained"), cited=[]),
        measurement(query=UNANSWERABLE, graded=[], answer=answer(status="abstained")),
        measurement(query=UNANSWERABLE, graded=[], milliseconds=99),
        judged=[GradedPair(False, True, None)],
    )
    assert made == json.loads(json.dumps(made))
    assert {section: set(made[section]) for section in CONTRACT} == CONTRACT
    assert (made["schema"], made["dataset"], made["queries"]) == ("crag.eval/1", "made up", 5)
    assert made["retrieval"]["mrr"] == pytest.approx((1 + 0.5 + 1) / 3, abs=1e-4)
    assert made["grading"]["n"] == 7
    assert made["grading"]["accuracy"] == pytest.approx(6 / 7, abs=1e-4)
    assert made["grading"]["auc"] == 1
    halves = dict.fromkeys(("precision", "recall", "f1"), 0.5)
    assert made["abstention"] == {**halves, "answered_unanswerable": 1, "n": 5}
    assert made["answers"]["n"] == 3
    assert made["answers"]["contains"] == pytest.approx(1 / 3, abs=1e-4)
    assert made["citations"]["verbatim"] == pytest.approx(4 / 5)
    assert made["citations"]["precision"] == pytest.approx(2 / 3, abs=1e-4)
    assert made["loops"]["gain_recall@5"] == pytest.approx(1 / 3, abs=1e-4)
    assert made["loops"]["rate"] == 0.2
    assert made["latency_ms"] == {"p50": 12.0, "p95": 99}
    assert made["usage"]["llm_calls"] == 10
    assert made["usage"]["cost_usd"] == pytest.approx(0.005)


def test_a_stage_that_did_not_answer_has_no_figures_of_answers_rather_than_zeros():
    made = figures(measurement(answer=None, graded=[], known=(), cited=()))
    for section in ("grading", "abstention", "answers", "citations", "loops", "usage"):
        assert {v for k, v in made[section].items() if k != "n"} == {None}, section
    assert made["retrieval"]["recall@5"] == 1


def test_the_table_says_every_figure_in_plain_text_where_there_is_no_terminal(capsys):
    print_report(figures(measurement(), baseline=[measurement()]), Terminal())
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert re.search(r"recall@5\s+1\.000", shown)
    assert "without loops" in shown
    for section in CONTRACT:
        assert section.removesuffix("_ms") in shown
