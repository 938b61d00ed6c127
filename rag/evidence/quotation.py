"""An excerpt as it is quoted: which sentence of it answers, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rag.evidence.excerpts import introduced_by, with_marks
from rag.evidence.shown_excerpt import AS_WRITTEN, shown_text
from rag.index.terms import term_spans, terms
from rag.question.parse import ParsedQuestion, share
from rag.text.sentences import PROSE, block_sentences
from state.answer import Citation
from state.answer_parts import AnswerPart
from state.blocks import Block, BlockKind, Extent
from state.passages import Passage, Span, text_between
from state.written_place import anchored

EXCERPTS_QUOTED = 3
WORTH_QUOTING = 0.02
"""Of the likeliest excerpt's probability, what a further one must have to stand beside it. Of 108
questions on documentation left out of each fit, three excerpts hold the answer to 80; with .02 none
of these is lost, with .05 one, with .2 six, with .3 ten."""

FURTHER_CHARACTERS = 600
"""Of an excerpt behind the likeliest one, unless a single block is longer: what stands around the
sentence that is nearest to the question. Of 176 questions on eight documentations, 137 are answered
rightly in 2,430 characters on average without that, 134 in 1,830 with it; with 400 131 in 1,590.
That a list is not cut costs 60.
"""

TWO_SENTENCES = 400
"""Characters at most, where one is quoted with its neighbour."""

SAYS_SOMETHING = 3
"""Words that the question has not, or one number: a title, a greeting or a field repeats what was
asked and says nothing."""

Quoted = tuple[Passage, Span]


def best_sentences(question: ParsedQuestion, span: Span) -> tuple[int, int]:
    """The offsets of the sentence nearest to the question, with the nearer one of those beside it
    in its block of prose, which as often answers: of 233 right answers on fourteen collections the
    one holds the expected words in 129, both in 163.
    """
    base = span["start_char"]
    blocks = span["blocks"]
    heads = {block.lead for block in blocks if block.kind is BlockKind.ROW}
    found = [
        (place, block if block.kind in PROSE else None)
        for block in blocks
        if block.extent not in heads and block.kind is not BlockKind.HEADING
        for place in block_sentences(span["text"], block, base)
    ]
    if not found:
        return span["start_char"], span["end_char"]
    worth = _worth(question, span, [text_between(span, *place) for place, _ in found])
    best = worth.index(max(worth))
    own = found[best][1]
    beside = [n for n in (best - 1, best + 1) if own and 0 <= n < len(found) and found[n][1] is own]
    other = max(beside, key=worth.__getitem__, default=best)
    first, last = sorted((found[best][0], found[other][0]))
    return (first[0], last[1]) if last[1] - first[0] <= TWO_SENTENCES else found[best][0]


def _worth(
    question: ParsedQuestion, span: Span, sentences: Sequence[str]
) -> list[tuple[bool, float]]:
    """Of each sentence whether it says something, and the share that it holds of what the question
    asks and the headings do not say of all.
    """
    headings = [b.extent for b in span["blocks"] if b.kind is BlockKind.HEADING]
    above = {*terms(span["lead"] or "")}.union(
        *(terms(text_between(span, *extent)) for extent in headings)
    )
    own = {term: weight for term, weight in question.weights.items() if term not in above}
    asked = {*question.terms}
    worth = []
    for sentence in sentences:
        words = {found for _, _, found in term_spans(sentence)}
        held = {*chain.from_iterable(words)}
        # What is written without spaces has many terms a word, an identifier its parts.
        new = sum(
            asked.isdisjoint(word) if word[0].isascii() else len({*word} - asked) for word in words
        )
        says = new >= SAYS_SOMETHING or any(map(str.isdigit, held - asked))
        worth.append((says, share(own or question.weights, held)))
    return worth


def quoted_parts(
    questions: Sequence[ParsedQuestion], likeliest: Sequence[Quoted]
) -> list[AnswerPart]:
    """Excerpts as units of an answer, in their order, which is that of their likelihood: the first
    whole, of each further one what stands around its sentence that is nearest to the question.
    """
    return [
        _quoted_part(questions[span["part"]], passage, span, whole=not number)
        for number, (passage, span) in enumerate(likeliest)
    ]


def _quoted_part(
    question: ParsedQuestion,
    passage: Passage,
    span: Span,
    *,
    whole: bool,
) -> AnswerPart:
    if "stretch" in span:
        return _located_part(passage, span, span["stretch"], span["shown"])
    start, end = best_sentences(question, span)
    span = span if whole else narrowed(span, start, FURTHER_CHARACTERS)
    shown = shown_text(span, (start, end))
    return _located_part(passage, span, (start, end), shown)


def _located_part(passage: Passage, span: Span, extent: Extent, shown: str) -> AnswerPart:
    """A verbatim part with its place; `shown` as it is written in an answer."""
    quote = text_between(span, *extent)
    line = span["start_line"] + text_between(span, span["start_char"], extent[0]).count("\n")
    at = anchored(passage.get("anchor"), line, line + quote.count("\n"))
    located: Citation = {
        "marker": 0,
        "source": passage["source"],
        "title": passage["title"],
        "page": passage["page"],
        "anchor": at["anchor"],
        "start_line": at["start_line"],
        "end_line": at["end_line"],
        "start_char": extent[0],
        "end_char": extent[1],
        "chunk_id": passage["chunk_id"],
        "quote": quote,
        "passage": "\n".join(filter(None, (span["lead"], span["text"]))),
        "support": "verbatim",
    }
    if "also" in passage:
        located["also"] = passage["also"]
    # A marker within code would be code.
    below = "\n" if span["blocks"][-1].kind in AS_WRITTEN else ""
    return {"before": "\n\n", "text": shown + below, "quotes": [], "located": [located]}


def narrowed(span: Span, place: int, longest: int) -> Span:
    """As many of the excerpt's blocks around the one at `place` as `longest` characters hold, at
    least that one, below the heading and the line that introduce them; the steps of a list up to
    its last.
    """
    if len(span["text"]) <= longest:
        return span
    blocks = span["blocks"]

    def fits(first: int, last: int) -> bool:
        inside = first >= 0 and last < len(blocks)
        return inside and blocks[last].end_char - blocks[first].start_char <= longest

    first = last = next((n for n, block in enumerate(blocks) if place < block.end_char), 0)
    grows = True
    while grows:
        grows = fits(first, last + 1)
        last += grows
        if fits(first - 1, last):
            first, grows = first - 1, True
    while last + 1 < len(blocks) and blocks[last].kind is blocks[last + 1].kind is BlockKind.ITEM:
        last += 1
    start, end = with_marks(span, blocks, blocks[first : last + 1])
    text = text_between(span, start, end)
    line = span["start_line"] + text_between(span, span["start_char"], start).count("\n")
    return {
        **span,
        "start_char": start,
        "end_char": end,
        "start_line": line,
        "end_line": line + text.count("\n"),
        "text": text,
        "lead": _introduction(span, blocks[:first], blocks[first]),
        "blocks": blocks[first : last + 1],
    }


def _introduction(span: Span, above: Sequence[Block], first: Block) -> str | None:
    """What introduces the rest of an excerpt, some of whose blocks stand `above`: the last heading
    of these, or what introduces them, and the line that the first block goes with.
    """
    if first.kind is BlockKind.HEADING:
        return None
    headings = [block.extent for block in above if block.kind is BlockKind.HEADING]
    leads = [block.extent for block in above if block.extent == first.lead]
    if not headings and not leads:
        return span["lead"]
    heading = text_between(span, *headings[-1]) if headings else (span["lead"] or "").strip()
    return introduced_by(heading, text_between(span, *leads[0]) if leads else "")


def likeliest_spans(passages: Sequence[Passage]) -> list[Quoted]:
    """Every excerpt with its passage, the likeliest first."""
    every = [(passage, span) for passage in passages for span in passage["spans"]]
    return sorted(every, key=lambda pair: -pair[1]["score"])


def worth_quoting(likeliest: Sequence[Quoted]) -> list[Quoted]:
    """Of excerpts, likeliest first, those about as likely to hold the answer as the first; at most
    EXCERPTS_QUOTED.
    """
    least = WORTH_QUOTING * likeliest[0][1]["score"] if likeliest else 0.0
    return [pair for pair in likeliest[:EXCERPTS_QUOTED] if pair[1]["score"] >= least]


def whole_text(span: Span) -> str:
    """The excerpt as it stands in its document, behind what introduces it from afar."""
    return f"{span['lead']}\n{span['text']}" if span["lead"] else span["text"]
