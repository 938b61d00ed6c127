"""Which excerpts are kept, and which of them become one."""

from __future__ import annotations

from rag.evidence.excerpts import EXCERPT_CHARACTERS, Excerpt
from rag.evidence.features import MeasuredExcerpt
from rag.evidence.ranking import RankedExcerpt, distinct, whole
from rag.index.repeats import Likeness
from state.blocks import Block, BlockKind

STEP = EXCERPT_CHARACTERS // 4
TEXT = "".join(f"{number:<{STEP}}" for number in range(8))


def ranked(*parts: tuple[int, int, float]) -> list[RankedExcerpt]:
    """Excerpts of the blocks from one number up to another, with their probabilities."""
    made = []
    for first, end, probability in parts:
        blocks = [
            Block(BlockKind.PARAGRAPH, n * STEP, (n + 1) * STEP, 0, None) for n in range(first, end)
        ]
        text = TEXT[first * STEP : end * STEP]
        excerpt = Excerpt(0, first * STEP, end * STEP, text, "", blocks)
        likeness = Likeness.of([f"only{first}to{end}"])
        made.append(RankedExcerpt(MeasuredExcerpt(excerpt, {}, likeness), probability))
    return sorted(made, key=lambda each: -each.probability)


def kept(*parts: tuple[int, int, float]) -> list[tuple[int, int]]:
    every = ranked(*parts)
    found = [each.measured.excerpt for each in whole(distinct(every), every)]
    assert all(e.text == TEXT[e.start_char : e.end_char] for e in found)
    assert all(
        [b.start_char for b in e.blocks] == [*range(e.start_char, e.end_char, STEP)] for e in found
    )
    return [(e.start_char // STEP, e.end_char // STEP) for e in found]


def test_two_with_what_lies_across_them_are_one_while_that_is_short_enough():
    assert kept((0, 2, 0.4), (1, 3, 0.3), (2, 4, 0.3)) == [(0, 4)]
    assert kept((0, 2, 0.4), (1, 3, 0.05), (4, 5, 0.55)) == [(4, 5), (0, 2)]


def test_what_is_joined_costs_nothing_of_another_that_is_as_likely():
    assert kept((0, 2, 0.3), (1, 4, 0.2), (3, 5, 0.5)) == [(3, 5), (0, 2)]
    assert kept((0, 3, 0.4), (2, 4, 0.3), (3, 5, 0.3)) == [(0, 3), (3, 5)]
