"""The figures of `crag eval` against values worked out by hand, and their properties."""

from __future__ import annotations

from itertools import product
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluate.effect import bootstrap_interval
from rag.evaluate.metrics import (
    auc,
    calibration_error,
    contains,
    ndcg_at,
    normalised,
    rates,
    recall_at,
    reciprocal_rank,
    token_f1,
    without_markers,
)

letters = st.sampled_from("abcdefghij")
rankings = st.lists(letters, max_size=12)
relevants = st.sets(letters, min_size=1, max_size=5)


def test_recall_counts_distinct_documents_of_the_first_k():
    assert recall_at(2, ["a", "a", "b", "c"], {"b", "c"}) == 0.5
    assert recall_at(3, ["a", "a", "b", "c"], {"b", "c"}) == 1.0
    assert recall_at(5, [], {"b"}) == 0.0


def test_ndcg_by_hand():
    gain = 1 / log2(2) + 1 / log2(4)
    ideal = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(10, ["r1", "x", "r2", "y"], {"r1", "r2", "r3"}) == pytest.approx(gain / ideal)
    assert ndcg_at(1, ["r1"], {"r1", "r2"}) == 1.0


def test_reciprocal_rank_by_hand():
    assert reciprocal_rank(["x", "x", "y", "r"], {"r"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], {"r"}) == 0.0


def test_a_ranking_without_relevant_documents_has_no_figure():
    for figure in (
        lambda: recall_at(5, ["a"], set()),
        lambda: ndcg_at(5, ["a"], []),
        lambda: reciprocal_rank(["a"], ()),
    ):
        with pytest.raises(ValueError, match="only against relevant"):
            figure()


@given(rankings, relevants, st.integers(1, 12))
def test_ranking_figures_lie_between_0_and_1_and_recall_grows_with_k(ranked, relevant, k):
    assert 0 <= recall_at(k, ranked, relevant) <= recall_at(k + 1, ranked, relevant) <= 1
    assert 0 <= ndcg_at(k, ranked, relevant) <= 1 + 1e-12
    assert (ndcg_at(k, ranked, relevant) > 0) == (recall_at(k, ranked, relevant) > 0)
    ideal = [*relevant, *(set("abcdefghij") - relevant)]
    assert ndcg_at(k, ideal, relevant) == pytest.approx(1)
    assert reciprocal_rank(ideal, relevant) == 1


def test_decisions_by_hand():
    decisions = rates(
        [(True, True)] * 6 + [(True, False)] * 2 + [(False, True)] * 4 + [(False, False)] * 8
    )
    assert decisions == {
        "accuracy": pytest.approx(14 / 20),
        "precision": pytest.approx(6 / 8),
        "recall": pytest.approx(6 / 10),
        "f1": pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6)),
        "balanced_accuracy": pytest.approx((0.6 + 0.8) / 2),
    }


def test_what_the_data_do_not_define_is_none_not_zero():
    assert set(rates([]).values()) == {None}
    only_negatives = rates([(False, False), (True, False)])
    assert only_negatives["recall"] is only_negatives["f1"] is None
    assert only_negatives["balanced_accuracy"] is None
    assert only_negatives["precision"] == 0
    assert rates([(False, True)])["f1"] == 0
    assert auc([0.1, 0.2], [True, True]) is None
    assert calibration_error([], []) is None
    assert bootstrap_interval([], seed=0) is None


def test_auc_by_hand_with_a_tie():
    # Pairs (positive, negative): .9>.4, .9>.8, .4=.4, .4<.8 -> (1 + 1 + .5 + 0) / 4
    assert auc([0.9, 0.4, 0.4, 0.8], [True, True, False, False]) == pytest.approx(0.625)


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), max_size=30))
def test_auc_is_the_share_of_ordered_pairs(scored):
    scores = [float(score) for score, _ in scored]
    labels = [label for _, label in scored]
    pairs = [
        1.0 if p > n else 0.5 if p == n else 0.0
        for (p, is_p), (n, is_n) in product(scored, scored)
        if is_p and not is_n
    ]
    expected = sum(pairs) / len(pairs) if pairs else None
    assert auc(scores, labels) == (None if expected is None else pytest.approx(expected))


def test_calibration_error_by_hand():
    # (.8, .9]: confidence .85, two of two true; (.1, .2]: confidence .2, none of two true.
    confidences, labels = [0.81, 0.89, 0.2, 0.2], [True, True, False, False]
    assert calibration_error(confidences, labels) == pytest.approx((0.15 + 0.2) / 2)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_a_calibration_error_is_a_share(scored):
    confidences = [confidence for confidence, _ in scored]
    error = calibration_error(confidences, [label for _, label in scored])
    assert error is not None
    assert 0 <= error <= 1


def test_normalisation_is_that_of_squad():
    assert normalised("The  U.S. “Army”, an army!") == ["us", "army", "army"]
    assert normalised("£71,300") == ["71300"]


def test_token_f1_by_hand():
    # {blue, whale, sings} against {whale, sings, loudly}: two shared of three and three
    assert token_f1("The blue whale sings", ["a whale sings loudly"]) == pytest.approx(2 / 3)
    assert token_f1("a a b", ["b b"]) == pytest.approx(2 / 3)
    assert token_f1("x", ["y", "x"]) == 1
    assert token_f1("", ["y"]) == 0
    assert token_f1("y", []) == 0


def test_contains_wants_whole_words_in_a_row():
    assert contains("It cost £71,300 in all [1].", ["£71,300"])
    assert contains("nine arches of gritstone", ["twelve", "Nine Arches"])
    assert not contains("the year 19340", ["1934"])
    assert not contains("arches, nine", ["nine arches"])
    assert not contains("anything", ["the", ""])
    assert without_markers("Nine arches [1][12]. It is so [3].") == "Nine arches. It is so."


@given(st.text(max_size=40), st.text(max_size=40))
def test_overlap_is_symmetric_bounded_and_full_for_the_same_text(first, second):
    assert token_f1(first, [second]) == pytest.approx(token_f1(second, [first]))
    assert 0 <= token_f1(first, [second]) <= 1
    assert token_f1(first, [first]) == 1
    if normalised(first):
        assert contains(f"{second} {first}", [first]) or normalised(f"{second} {first}") != [
            *normalised(second),
            *normalised(first),
        ]


def test_bootstrap_interval_holds_the_mean_and_is_the_same_for_a_seed():
    values = [0.0, 1.0] * 50
    interval = bootstrap_interval(values, seed=7)
    assert interval == bootstrap_interval(values, seed=7)
    assert interval is not None
    low, high = interval
    # Standard error of a fair coin's mean at n = 100 is .05: the interval is about .4 to .6.
    assert low == pytest.approx(0.402, abs=0.02)
    assert high == pytest.approx(0.598, abs=0.02)
    assert bootstrap_interval([0.3] * 5, seed=0) == (pytest.approx(0.3), pytest.approx(0.3))
