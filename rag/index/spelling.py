"""Words of the collection spelt like a given one."""

from __future__ import annotations


def edit_distance(left: str, right: str, limit: int) -> int:
    """Damerau-Levenshtein distance (adjacent swaps count one); `limit + 1` if it is larger.

    Optimal string alignment, cut off at `limit` (Damerau 1964).
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    # A slip takes away one letter and brings in one at most; this spares most of a vocabulary.
    held, wanted = set(left), set(right)
    if len(held - wanted) > limit or len(wanted - held) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, character in enumerate(left, 1):
        current = [row]
        for column, other in enumerate(right, 1):
            cost = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (character != other)
            )
            swapped = row > 1 and column > 1 and character == right[column - 2]
            if swapped and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, last = last, current
    return last[-1]


def allowed_distance(word: str) -> int:
    """How many slips a word of this length may have; none in a short one."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2
