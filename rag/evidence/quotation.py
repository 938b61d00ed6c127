"""An excerpt as it is quoted: which sentence of it answers, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from rag.embed.builtin import fitted_embedder
from rag.evidence.shown_excerpt import AS_WRITTEN, shown_text
from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.question.parse import ParsedQuestion
from rag.text.sentences import block_sentences
from state.blocks import BlockKind
from state.draft_claims import DraftClaim
from state.passages import Passage, Span, blocks_of_spans

EXCERPTS_QUOTED = 3
WORTH_QUOTING = 0.02
"""Of the likeliest excerpt's probability, what a further one must have to stand beside it. Of 108
questions on documentation left out of each fit, three excerpts hold the answer to 80; with .02 none
of these is lost, with .05 one, with .2 six, with .3 ten."""

Quoted = tuple[Passage, Span]


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
    shown = shown_text(span, (start, end))
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
    EXCERPTS_QUOTED.
    """
    least = WORTH_QUOTING * likeliest[0][1]["score"] if likeliest else 0.0
    return [pair for pair in likeliest[:EXCERPTS_QUOTED] if pair[1]["score"] >= least]


def whole_text(span: Span) -> str:
    """The excerpt as it stands in its document, behind what introduces it from afar."""
    return f"{span['lead']}\n{span['text']}" if span["lead"] else span["text"]
