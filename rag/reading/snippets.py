"""Picks the snippets that a person is shown: the few stretches that are likeliest to answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rag.index.language import reading_for
from rag.index.reader import CollectionReader
from rag.index.terms import terms
from rag.question.parse import parse_question, share
from rag.reading.display import display_text, lead_of
from rag.reading.reranker import MaxSim, Reranker
from rag.reading.scoring import ScoredStretch, best_of, extents_of, judge_stretches, score_stretches
from rag.reading.stretches import Stretch, Unit, reach
from rag.reading.whole import Whole
from rag.text.block_builder import ends_open
from rag.text.prose import as_prose, one_line
from state.answer import Citation
from state.blocks import PROSE, WHOLE, BlockKind
from state.passages import ParsedQuestion, RetrievedChunk, heading_at, make_citation, text_between
from state.wording import shorten

MOST = 3
FIRST_LONGEST, NEXT_LONGEST = 400, 300
"""The most characters of the first snippet, and of each further one."""
BESIDE = 150
"""Characters that may be added to a stretch: before it in its block, and of what it leads to."""
FAR_BEHIND = 0.25
"""How far below the first a stretch may score and still be shown. Of 147 questions on seven
documentations 110 are answered in what is shown, in 658 characters (median).
"""

_SAME_CHUNK = 0.04
"""Subtracted where another stretch of the same chunk is shown."""
_FAR_BEHIND_BY_WORDS = 0.12
"""Used where no transformer reads: static vectors say less."""

_SLACK = 0.01
"""The similarity that a stretch may lose by beginning nearer to the answer."""

_REPLIES = 0.01
"""What a reply scores above the mail that it quotes."""
_TITLE = re.compile(r"\*\*[^*]+\*\*|#{2,6}[ \t].*")
_FEW_WORDS = 3
"""What begins a block and says no more than these is no end of what is shown; what says less is
shown with what stands before it.
"""
_SAID_AGAIN = 0.1
"""A stretch repeats a shown one unless a larger share of its terms is new."""


def snippets(
    question: ParsedQuestion, chunks: Sequence[RetrievedChunk], reranker: Reranker
) -> list[ScoredStretch]:
    """The best stretches of the first chunks, best first. None repeats another, and stretches of
    several chunks are preferred (after maximal marginal relevance, Carbonell and Goldstein 1998).
    Rows of one table and items of one list are shown together, and a mail's reply before what it
    quotes.
    """
    found = _with_replies(judge_stretches(question, chunks, reranker))
    far, same = _FAR_BEHIND_BY_WORDS, 0.0
    if reranker.is_neural:
        far, same = FAR_BEHIND, _SAME_CHUNK
    kept: list[ScoredStretch] = []
    for _ in range(MOST):
        following = _next(found, kept, far, same)
        if following is None:
            break
        tight = _tightened(following, question)
        whole = _extended(tight, NEXT_LONGEST if kept else FIRST_LONGEST)
        clear = not any(whole.overlaps(other.stretch) for other in kept)
        stretch = whole if clear else tight
        for place, each in enumerate(kept):
            if both := _together(each.stretch, stretch):
                kept[place] = replace(each, stretch=both)
                break
        else:
            kept.append(replace(following, stretch=stretch))
    return kept


def _with_replies(found: Sequence[ScoredStretch]) -> Sequence[ScoredStretch]:
    """Of a mail that quotes another one, the best stretch of its own words, but for its header,
    scores more than the best of the quotation.
    """
    for source in {each.stretch.chunk["source"] for each in found if each.stretch.is_quotation}:
        mail = [each for each in found if each.stretch.chunk["source"] == source]
        quoted = max(each.score for each in mail if each.stretch.is_quotation)
        words = [
            e for e in mail if not (e.stretch.is_quotation or e.stretch.kind is BlockKind.FIELD)
        ]
        reply = best_of(words)
        if reply is not None and reply.score <= quoted:
            above = replace(reply, score=quoted + _REPLIES)
            found = [above if each is reply else each for each in found]
    return found


def _together(one: Stretch, other: Stretch) -> Stretch | None:
    """All rows of the table that both are rows of, if that is short enough to be shown whole, or
    both, where one goes on with the other's list; else None.
    """
    blocks, section = one.chunk["blocks"], one.section
    if one.chunk["chunk_id"] != other.chunk["chunk_id"]:
        return None
    if one.kind is BlockKind.ROW:
        of_it = one.kind, blocks[one.units[0].place].lead
        units = [u for u in section if (blocks[u.place].kind, blocks[u.place].lead) == of_it]
        together = other.units[0] in units and units[-1].end - units[0].start <= FIRST_LONGEST
    else:
        first, second = sorted((one, other), key=lambda each: each.start)
        units = [*first.units, *second.units]
        seam = first.units[-1], second.units[0]
        are_items = all(blocks[each.place].kind is BlockKind.ITEM for each in seam)
        together = are_items and seam in pairwise(section)
    return replace(one, units=units) if together else None


def _tightened(found: ScoredStretch, question: ParsedQuestion) -> Stretch:
    """The stretch without the leading sentences or lines that bring it no nearer to the question,
    up to the one that holds most of its words, unless a word or two would be left, such as a name
    below a letter; one right below its heading stays whole, since that says what it is about.
    """
    tight = found.stretch
    if tight.begins_section:
        return tight
    least = _similarity(tight, found.read, found.begins) - _SLACK
    held = [
        share(question["weights"], set(terms(text_between(tight.chunk, each.start, each.end))))
        for each in tight.units
    ]
    fullest = tight.units[held.index(max(held))]
    while tight.units[0] != fullest:
        less = replace(tight, units=tight.units[1:])
        few = len(less.text.split()) < _FEW_WORDS
        if few or _similarity(less, found.read, found.begins) < least:
            break
        tight = less
    return tight


def _similarity(stretch: Stretch, read: MaxSim, begins: int) -> float:
    return read.nearness(*extents_of(stretch, begins))


def _next(
    found: Sequence[ScoredStretch], kept: Sequence[ScoredStretch], far: float, same: float
) -> ScoredStretch | None:
    """The best stretch that repeats nothing in `kept` and scores at most `far` below the first; one
    of a chunk that is in `kept` scores `same` less.
    """
    shown = [each.stretch for each in kept]
    chunks = {stretch.chunk["chunk_id"] for stretch in shown}

    def worth(each: ScoredStretch) -> float:
        return each.score - same * (each.stretch.chunk["chunk_id"] in chunks)

    for each in sorted(found, key=worth, reverse=True):
        if kept and worth(each) < kept[0].score - far:
            return None
        if not any(_repeats(each.stretch, other) for other in shown):
            return each
    return None


def _repeats(stretch: Stretch, shown: Stretch) -> bool:
    """Whether it overlaps the shown one or says hardly anything else: pages repeat each other."""
    if stretch.overlaps(shown):
        return True
    said = set(terms(stretch.text))
    return len(said - set(terms(shown.text))) <= _SAID_AGAIN * len(said)


def nearest_of(
    query: str, chunks: Sequence[RetrievedChunk], reader: CollectionReader, reranker: Reranker
) -> list[Citation]:
    """The stretch of each chunk that comes nearest to the query, or else the whole chunk; as a
    person is shown it.
    """
    with reading_for(reader, query):
        question = parse_question(query, reader)
        nearest = [best_of(score_stretches(question, [each], reranker)) for each in chunks]
    citations: list[Citation] = []
    for chunk, found in zip(chunks, nearest, strict=True):
        if found is None:
            whole = make_citation(chunk, chunk["start_char"], chunk["end_char"], "")
            whole["shown"] = shorten(as_prose(whole["quote"]), NEXT_LONGEST)
            citations.append(whole)
        else:
            stretch = _tightened(found, question)
            citations.append(_located(replace(found, stretch=stretch), reader, full=False))
    return citations


def shown_snippets(
    question: ParsedQuestion,
    chunks: Sequence[RetrievedChunk],
    reranker: Reranker,
    reader: CollectionReader,
    *,
    full: bool = False,
) -> list[Citation]:
    """The snippets for the question, located in their documents, as a person is shown them; with
    `full` the whole blocks that they stand in, each once.
    """
    shown: list[Citation] = []
    for each in snippets(question, chunks, reranker):
        located = _located(each, reader, full=full)
        text = one_line(located["shown"])
        if not any(text in one_line(other["shown"]) for other in shown):
            shown.append(located)
    return shown


def _located(found: ScoredStretch, reader: CollectionReader, *, full: bool) -> Citation:
    """A citation whose quote is the stretch, and whose passage its blocks with their lead-in; its
    nearest sentence or line is the best.
    """
    stretch = found.stretch
    chunk, units = stretch.chunk, stretch.units
    lead = lead_of(chunk, units[0], reader)
    whole = Whole.of(chunk, units, reader)
    passage = "\n".join(filter(None, (lead, whole.text(chunk, reader))))
    located = make_citation(chunk, stretch.start, stretch.end, passage)
    each_by_itself = (replace(stretch, units=[unit]) for unit in units)
    best = max(each_by_itself, key=lambda one: _similarity(one, found.read, found.begins))
    located["best"] = best.text
    located["heading"] = as_prose(heading_at(chunk, stretch.start)) or chunk["title"] or ""
    if full:
        located["shown"] = whole.full_text(chunk, lead, reader)
    else:
        goes_on = whole.goes_on(chunk["blocks"][units[0].place].lead if lead else None)
        located["shown"] = display_text(chunk, units, lead, FIRST_LONGEST + BESIDE, goes_on)
    return located


def _extended(stretch: Stretch, longest: int) -> Stretch:
    """The stretch extended to `longest` characters, from its block's beginning if that is near, and
    by what is near of code or a list that its end leads to; in code, its definition if it is short.
    """
    units, blocks = stretch.section, stretch.chunk["blocks"]
    is_code = all(blocks[unit.place].kind is BlockKind.CODE for unit in units)
    if is_code and units[-1].end - units[0].start <= longest + BESIDE:
        return replace(stretch, units=units)
    first = units.index(stretch.units[0])
    last = first + len(stretch.units) - 1
    begins = next(n for n, unit in enumerate(units) if unit.place == units[first].place)
    if units[first].start - units[begins].start <= BESIDE:
        first = begins
    least, last = last, max(last, reach(units, first, longest))
    if last + 1 < len(units) and blocks[units[last + 1].place].level == WHOLE:
        last = max(last, min(last + 1, reach(units, first, longest + BESIDE)))
    if stretch.chunk["blocks"][units[last].place].kind is BlockKind.CODE:
        last = _code_end(units, least, last)
    if text_between(stretch.chunk, *units[last][:2]).rstrip().endswith(":"):
        last = max(last, reach(units, first, units[last].end - units[first].start + BESIDE))
    while last > first and _leads_on(stretch.chunk, units[last]):
        last -= 1
    return replace(stretch, units=units[first : last + 1])


def _code_end(units: Sequence[Unit], least: int, last: int) -> int:
    """The last line shown: one before a blank line or the end, further on only if that is near."""
    apart = [n for n, (one, after) in enumerate(pairwise(units)) if after.start - one.end > 1]
    ends = [n for n in (*apart, len(units) - 1) if n >= least]
    further = next(n for n in ends if n >= last)
    if units[further].end - units[last].end <= BESIDE:
        return further
    return max((n for n in ends if n < last), default=last)


def _leads_on(chunk: RetrievedChunk, unit: Unit) -> bool:
    """Whether the unit is a title in bold or set in, a sentence that ends in a colon, or a word or
    two with which a block begins that goes on, such as "2. Tunnel."
    """
    said = text_between(chunk, unit.start, unit.end).rstrip()
    block = chunk["blocks"][unit.place]
    words = text_between(chunk, block.start_char, unit.end).split()
    begins = unit.end < block.end_char and len(words) <= _FEW_WORDS
    is_title = ends_open(said) or _TITLE.fullmatch(said) is not None
    return block.kind in PROSE and (is_title or begins)
