"""Rows of a table, items of a list, that list what is asked for: "List the stations"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rag.answering.evidence import Measured
from rag.answering.question import AnswerKind, Question
from rag.answering.strips import evidence, heading, lead_in, table_head
from rag.index.terms import terms

_ASKING = frozenset(terms("list name enumerate give show all every tell"))


def listing(question: Question, measured: Sequence[Measured]) -> list[int]:
    """Indices, in reading order, of the rows under a head that begins with the thing asked for,
    or of the items that are announced as such; of the longest such list, and empty without one.
    """
    wanted = frozenset(question.subject) - _ASKING
    if question.kind is not AnswerKind.LIST or not wanted:
        return []
    found = defaultdict[tuple[int, int], list[int]](list)
    strips = [item.strip for item in measured]
    for i in evidence(strips):
        head = table_head(strips, i)
        if head is not None:
            named = frozenset(terms(strips[head].text.strip().strip("|").split("|")[0]))
            lists = bool(named) and named <= wanted <= named | measured[head].context
        elif strips[i].is_item:
            above = (lead_in(strips, i), heading(strips, i))
            head = next(
                (j for j in above if j is not None and wanted <= set(strips[j].terms)), None
            )
            lists = head is not None
        else:
            continue
        if lists and head is not None:
            found[strips[i].source, head].append(i)
    return max(found.values(), key=len, default=[])
