"""An excerpt as it is quoted: which sentence of it answers, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.embed.builtin import fitted_embedder
from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.question.parse import ParsedQuestion
from rag.text.line_marks import FENCE
from rag.text.sentences import block_sentences
from state.blocks import Block, BlockKind
from state.draft_claims import DraftClaim
from state.passages import Passage, Span, blocks_of_spans

_NOTES = re.compile(  # one or several in a row, no part of a link or a name (`reg[1]`)
    r"(?<![\w\]])(?:\[\d{1,3}\])+(?![\[(:])"
)
_QUOTED = re.compile(
    r"\n[ \t]*(?:>[ \t]?)+"
)  # the mark of a quoted paragraph, on its further lines
_BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")

MOST_EXCERPTS = 3
WORTH_QUOTING = 0.02
"""Of the likeliest excerpt's probability, what a further one must have to stand beside it. Of 108
questions on documentation left out of each fit, three excerpts hold the answer to 80; with .02 none
of these is lost, with .05 one, with .2 six, with .3 ten."""

Quoted = tuple[Passage, Span]

AS_WRITTEN = (BlockKind.CODE, BlockKind.ROW, BlockKind.METADATA)
"""Kinds whose line breaks and spaces say something."""


def best_sentence(
    question: ParsedQuestion, span: Span, collection: CollectionReader
) -> tuple[int, int]:
    """The offsets of the sentence nearest to the question: by the share of its weight that the
    sentence holds, and by meaning.
    """
    embedder = fitted_embedder(collection.embedder)
    base = span["start_char"]
    blocks = blocks_of_spans(span["blocks"])
    heads = {block.lead for block in blocks if block.kind is BlockKind.ROW}
    places = [
        place
        for block in blocks
        if block.extent not in heads and block.kind is not BlockKind.HEADING
        for place in block_sentences(span["text"], block, base)
    ]
    if not places:
        return span["start_char"], span["end_char"]
    texts = [span["text"][start - base : end - base] for start, end in places]
    cosines = embedder.embed_documents(texts) @ embedder.embed_query(question.text)
    worth = [
        question.covered(set(terms(text))) + float(cosine)
        for text, cosine in zip(texts, cosines, strict=True)
    ]
    return places[worth.index(max(worth))]


def quoting_claim(
    question: ParsedQuestion, passage: Passage, span: Span, collection: CollectionReader
) -> DraftClaim:
    """The excerpt as a unit of an answer, at the sentence of it that is nearest to the question."""
    base = span["start_char"]
    start, end = best_sentence(question, span, collection)
    quote = span["text"][start - base : end - base]
    line = span["start_line"] + span["text"].count("\n", 0, start - base)
    shown = shown_text(span)
    return {
        "kind": "code" if span["blocks"][-1]["kind"] in AS_WRITTEN else "claim",
        "before": "\n\n",
        "shown": shown,
        "text": shown,
        "passages": [passage["number"]],
        "quotes": [
            {
                "passage": passage["number"],
                "start_char": start,
                "end_char": end,
                "start_line": line,
                "end_line": line + quote.count("\n"),
                "quote": quote,
                "lead": span["lead"],
                "block_start": base,
                "block_end": span["end_char"],
                "block": span["text"],
            }
        ],
    }


def likeliest_spans(passages: Sequence[Passage]) -> list[Quoted]:
    """Every excerpt with its passage, the likeliest first."""
    every = [(passage, span) for passage in passages for span in passage["spans"]]
    return sorted(every, key=lambda pair: -pair[1]["score"])


def worth_quoting(likeliest: Sequence[Quoted]) -> list[Quoted]:
    """Of excerpts, likeliest first, those about as likely to hold the answer as the first; at most
    MOST_EXCERPTS.
    """
    least = WORTH_QUOTING * likeliest[0][1]["score"] if likeliest else 0.0
    return [pair for pair in likeliest[:MOST_EXCERPTS] if pair[1]["score"] >= least]


def whole_text(span: Span) -> str:
    """The excerpt as it stands in its document, behind what introduces it from afar."""
    return f"{span['lead']}\n{span['text']}" if span["lead"] else span["text"]


def shown_text(span: Span) -> str:
    """The excerpt with the wrapped lines of its prose joined, without the marks of headings, of
    fields and of quoted lines; code, rows and fields, and the lines that stand around code, as
    they were written.
    """
    text, base, shown = span["text"], span["start_char"], ""
    end = base
    before: Block | None = None
    for block in blocks_of_spans(span["blocks"]):
        marks = text[end - base : block.start_char - base]
        if before and (
            BlockKind.HEADING in (before.kind, block.kind) or _ends_fields(before, block)
        ):
            shown += _fences(before, marks, block)
        else:
            code = before is None or {before.kind, block.kind} & {*AS_WRITTEN}
            shown += _between(marks if code else _QUOTED.sub("\n", marks))
        before = block
        own = text[block.start_char - base : block.end_char - base]
        if block.kind not in AS_WRITTEN:
            own = _without_notes(" ".join(_QUOTED.sub("\n", own).split()))
        shown += own
        end = block.end_char
    shown += _between(text[end - base :])
    lead = span["lead"]
    return (f"{lead}\n{shown}" if lead else shown).strip("\n")


def _ends_fields(before: Block, block: Block) -> bool:
    return before.kind is BlockKind.METADATA and block.kind is not BlockKind.METADATA


def _fences(before: Block, marks: str, block: Block) -> str:
    """The break before or behind a heading or fields, with the fences of the code beside it."""
    lines = marks.split("\n")
    closing, opening = lines[1:2], lines[-2:-1]
    closes = before.kind is BlockKind.CODE and any(map(FENCE.match, closing))
    opens = block.kind is BlockKind.CODE and any(map(FENCE.match, opening))
    return "\n".join(["", *closing * closes, "", *opening * opens, ""])


def _without_notes(text: str) -> str:
    """Without the text's own note signs, which would pass for markers; code keeps brackets."""
    pieces = text.split("`")
    pieces[::2] = [_NOTES.sub("", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def _between(marks: str) -> str:
    """What stands between two blocks; of blank lines in a row the first."""
    return _BLANK_LINES.sub("\n\n", marks)
