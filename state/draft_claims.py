"""A draft between generate and check_answer: its sentences, and what each of them rests on.

TypedDicts, since they pass through the graph's state and are JSON. A model's engine reads them
out of what it wrote; the local engine, whose sentences are quotes, says where each stands.
"""

from __future__ import annotations

from typing import Literal, TypedDict

ClaimKind = Literal["claim", "frame", "heading", "table_head", "code"]
"""A frame ("The sources disagree:") and a table's head stay while a claim follows them, a heading
while a claim of its section does; code is a whole fenced block, checked as one claim.
"""


class DraftQuote(TypedDict):
    """A sentence quoted from `Passage.number` `passage`. Offsets are characters of the document:
    `quote` is its [start_char:end_char], `block` its [block_start:block_end], the whole paragraph,
    item, row or code around it, and `lead` what introduces that from afar. `start_line` and
    `end_line` are the quote's, from 1.
    """

    passage: int
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    quote: str
    lead: str | None
    block_start: int
    block_end: int
    block: str


class DraftClaim(TypedDict):
    """A unit of a draft. `before` is the whitespace in front of it, `shown` its text without
    markers, `text` what of it is checked; `passages` are the `Passage.number`s it names. One with
    `quotes` is word for word and checked for no more than that they stand where they say.
    """

    kind: ClaimKind
    before: str
    shown: str
    text: str
    passages: list[int]
    quotes: list[DraftQuote]
