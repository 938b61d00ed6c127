"""From measurements to figures, differences, tables and the page."""

from __future__ import annotations

import json
import re

import pytest
from evaluation_samples import CONFIG, answer, evaluation, measurement

from cli.render.evaluation import print_report
from rag.evaluate.effect import baseline_report
from rag.evaluate.figures import report
from rag.evaluate.labels import LABELS
from rag.evaluate.measurements import Evaluation

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


def run(*measurements, baseline=None) -> Evaluation:
    return Evaluation("d", CONFIG, 0, tuple(measurements), baseline)


def test_the_report_has_every_figure_of_the_contract():
    made = report(evaluation())
    assert (made["schema"], made["dataset"], made["queries"]) == ("crag.eval/1", "made up", 120)
    for section, keys in CONTRACT.items():
        assert keys <= made[section].keys(), section
    assert all(label.key in made[label.section] for label in LABELS)
    assert made == json.loads(json.dumps(made))


def test_figures_by_hand():
    made = report(
        run(
            measurement(milliseconds=10),
            measurement(
                id="q2",
                ranking=["x", "d1"],
                answer=answer(
                    contains=False,
                    citations=[
                        {"source": "x", "verbatim": True},
                        {"source": "d1", "verbatim": False},
                    ],
                    loop_count=1,
                    rankings=[["x"], ["d1", "x"]],
                ),
                milliseconds=20,
            ),
            measurement(id="q3", answer=answer(status="abstained", contains=False, citations=[])),
            measurement(
                id="q4",
                relevant=[],
                answerable=False,
                has_answers=False,
                graded=[],
                answer=answer(status="abstained"),
            ),
            measurement(id="q5", relevant=[], answerable=False, graded=[], milliseconds=99),
            measurement(
                id="grading:q1",
                relevant=[],
                ranking=[],
                answer=None,
                graded=[{"decided": True, "true": False, "confidence": None}],
            ),
        )
    )
    assert made["queries"] == 5
    assert made["retrieval"]["mrr"] == pytest.approx((1 + 0.5 + 1) / 3, abs=1e-4)
    assert made["grading"]["n"] == 7
    assert made["grading"]["accuracy"] == pytest.approx(6 / 7, abs=1e-4)
    assert made["grading"]["auc"] == 1
    assert made["abstention"] == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "balanced_accuracy": pytest.approx((1 / 2 + 2 / 3) / 2, abs=1e-4),
        "answered_unanswerable": 1,
        "n": 5,
    }
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
    made = report(run(measurement(answer=None, graded=[])))
    for section in ("grading", "abstention", "answers", "citations", "loops", "usage"):
        assert {v for k, v in made[section].items() if k != "n"} == {None}, section
    assert made["retrieval"]["recall@5"] == 1


def test_an_unknown_price_makes_the_cost_unknown():
    priced = measurement()
    unpriced = measurement(id="q2", answer=answer(cost_usd=None))
    assert report(run(priced, unpriced))["usage"]["cost_usd"] is None


def test_follow_ups_are_shown_as_typed_and_resolved():
    made = report(run(measurement(raw_ranking=["x", "y"]), measurement(id="q2")))
    assert made["follow_ups"]["n"] == 1
    assert made["follow_ups"]["as_typed"]["recall@5"] == 0
    assert made["follow_ups"]["resolved"]["recall@5"] == 1


def test_what_the_loop_gained_is_paired_by_question():
    late = answer(rankings=[["x"], ["d1"]], loop_count=1)
    early = answer(rankings=[["x"]], contains=False)
    same = measurement(id="q2")
    made = baseline_report(
        run(measurement(answer=late), same, baseline=(measurement(answer=early), same))
    )
    gain = made["differences"]["recall@10"]
    assert (gain["with"], gain["without"], gain["difference"]) == (1, 0.5, 0.5)
    assert (gain["helped"], gain["hurt"], gain["n"]) == (1, 0, 2)
    assert gain["ci95"][0] <= 0.5 <= gain["ci95"][1]
    assert made["first_retrieval_missed"]["difference"] == 1
    assert made["first_retrieval_found"]["difference"] == 0
    assert made["differences"]["contains"]["difference"] == 0.5
    assert made["answers"]["contains"] == 0.5


def test_the_table_says_every_figure_in_plain_text_where_there_is_no_terminal(capsys):
    made = evaluation()
    figures = report(made)
    figures["baseline"] = baseline_report(made)
    print_report(figures)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert re.search(r"recall@5\s+0\.\d{3}", shown)
    assert "what the loop gained" in shown
    assert "first missed" in shown


def test_a_question_that_nobody_said_to_be_answerable_or_not_is_no_right_or_wrong_abstention():
    unknown = measurement(answerable=None, relevant=[], has_answers=False, graded=[])
    made = report(run(unknown))
    assert made["abstention"] == dict.fromkeys(made["abstention"]) | {"n": 0}
    assert made["answers"]["n"] == 0
