"""The figures of `crag eval` against values worked out by hand, and their properties."""

from itertools import product
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluate import metrics

letters = st.sampled_from("abcdefghij")
rankings = st.lists(letters, max_size=12)
relevants = st.sets(letters, min_size=1, max_size=5)


def test_a_ranking_by_hand_counts_distinct_documents():
    gain = 1 / log2(2) + 1 / log2(4)
    ideal = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    figures = metrics.ir_metrics(["r1", "r1", "x", "r2", "y"], {"r1", "r2", "r3"})
    assert figures["ndcg@10"] == pytest.approx(gain / ideal)
    assert figures["recall@5"] == pytest.approx(2 / 3)
    assert metrics.ir_metrics(["x", "x", "y", "r"], {"r"})["mrr"] == pytest.approx(1 / 3)
    late = [*"abcdefghij", "r"]
    assert [*metrics.ir_metrics(late, {"r"}).values()] == [0, 0, 1, 0, pytest.approx(1 / 11)]
    assert {*metrics.ir_metrics([], {"r"}).values()} == {0}
    with pytest.raises(ValueError, match="only against relevant"):
        metrics.ir_metrics(["a"], set())


@given(rankings, relevants)
def test_ranking_figures_lie_between_0_and_1_and_an_ideal_ranking_has_1(sources, relevant):
    figures = metrics.ir_metrics(sources, relevant)
    assert all(0 <= figure <= 1 + 1e-12 for figure in figures.values())
    assert figures["recall@5"] <= figures["recall@10"] <= figures["recall@20"]
    assert (figures["ndcg@10"] > 0) == (figures["recall@10"] > 0)
    ideal = metrics.ir_metrics([*relevant, *(set("abcdefghij") - relevant)], relevant)
    assert [*ideal.values()] == [pytest.approx(1)] * 5


def test_what_the_data_do_not_define_is_none_not_zero():
    assert set(metrics.binary_rates([]).values()) == {None}
    only_negatives = metrics.binary_rates([(False, False), (True, False)])
    assert only_negatives["recall"] is only_negatives["f1"] is None
    assert only_negatives["precision"] == 0
    assert metrics.binary_rates([(False, True)])["f1"] == 0
    assert metrics.auc([0.1, 0.2], [True, True]) is None


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
    assert metrics.auc(scores, labels) == (None if expected is None else pytest.approx(expected))


def test_normalisation_is_that_of_squad():
    assert metrics.normalize("The  U.S. “Army”, an army!") == ["us", "army", "army"]
    assert metrics.normalize("£71,300") == ["71300"]


def test_token_f1_by_hand():
    # {blue, whale, sings} against {whale, sings, loudly}: two shared of three and three
    assert metrics.token_f1("The blue whale sings", ["a whale sings loudly"]) == pytest.approx(
        2 / 3
    )
    assert metrics.token_f1("a a b", ["b b"]) == pytest.approx(2 / 3)
    assert metrics.token_f1("x", ["y", "x"]) == 1
    assert metrics.token_f1("", ["y"]) == 0
    assert metrics.token_f1("y", []) == 0


def test_contains_wants_whole_words_in_a_row():
    assert metrics.contains("It cost £71,300 in all [1].", ["£71,300"])
    assert metrics.contains("nine arches of gritstone", ["twelve", "Nine Arches"])
    assert not metrics.contains("the year 19340", ["1934"])
    assert not metrics.contains("arches, nine", ["nine arches"])
    assert not metrics.contains("anything", ["the", ""])
    assert metrics.without_markers("Nine arches [1][12]. It is so [3].") == "Nine arches. It is so."
