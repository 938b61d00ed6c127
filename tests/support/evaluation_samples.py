"""Made-up measurements, for reports and pages without a pipeline behind them."""

from __future__ import annotations

from random import Random
from typing import Any

from rag.evaluate.measurements import AnswerMeasurement, Evaluation, Measurement


def answer(**changed: Any) -> AnswerMeasurement:
    made: AnswerMeasurement = {
        "status": "answered",
        "contains": True,
        "token_f1": 0.5,
        "citations": [{"source": "d1", "verbatim": True}],
        "loop_count": 0,
        "rankings": [["d1", "d2"]],
        "llm_calls": 2,
        "input_tokens": 100,
        "output_tokens": 10,
        "cost_usd": 0.001,
    }
    return {**made, **changed}


def measurement(**changed: Any) -> Measurement:
    made: Measurement = {
        "id": "q1",
        "relevant": ["d1"],
        "answerable": True,
        "has_answers": True,
        "standalone_question": "How long is it?",
        "ranking": ["d1", "d2", "d3"],
        "raw_ranking": None,
        "rewrite_ranking": None,
        "graded": [
            {"decided": True, "true": True, "confidence": 0.9},
            {"decided": False, "true": False, "confidence": 0.2},
        ],
        "answer": answer(),
        "milliseconds": 12.0,
    }
    return {**made, **changed}


CONFIG = {
    "stage": "full",
    "engine": "local",
    "model": None,
    "embedder": "test/4@1",
    "k": 8,
    "max_loops": 3,
    "documents": 40,
    "chunks": 80,
}


def evaluation(n: int = 120, seed: int = 1, *, baseline: bool = True) -> Evaluation:
    """A plausible run of `n` questions, a quarter of them unanswerable."""
    random = Random(seed)
    with_loops, without = [], []
    for number in range(n):
        answerable = number % 4 != 0
        place = random.choice([1, 1, 1, 2, 3, 7, 12, 30])
        ranking = [f"x{i}" for i in range(25)]
        ranking.insert(place - 1, "d1")
        missed = place > 8
        found_later = missed and random.random() < 0.5
        first = ranking[:8]
        rankings = [first, ["d1", *first]] if found_later else [first]
        right = (not missed or found_later) and random.random() < 0.8
        graded = []
        for source in first:
            true = source == "d1"
            confidence = min(1, max(0, random.gauss(0.8 if true else 0.25, 0.2)))
            graded.append({"decided": confidence > 0.5, "true": true, "confidence": confidence})
        status = "answered" if answerable != (random.random() < 0.1) else "abstained"
        made = measurement(
            id=f"q{number}",
            standalone_question=f"What of thing {number} <b>& its kin</b>?",
            relevant=["d1"] if answerable else [],
            answerable=answerable,
            has_answers=answerable,
            ranking=ranking,
            graded=graded if answerable else [],
            milliseconds=random.uniform(8, 30),
            answer=answer(
                status=status,
                contains=right,
                rankings=rankings,
                loop_count=len(rankings) - 1,
                citations=[{"source": "d1" if right else "x1", "verbatim": True}],
            ),
        )
        with_loops.append(made)
        without.append(
            {
                **made,
                "answer": {
                    **made["answer"],
                    "rankings": rankings[:1],
                    "loop_count": 0,
                    "contains": right and not missed,
                },
            }
        )
    return Evaluation(
        dataset="made up",
        config=CONFIG,
        seed=0,
        measurements=tuple(with_loops),
        baseline=tuple(without) if baseline else None,
    )
