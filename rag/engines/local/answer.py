"""Answers made of the sentences that answer: the fewest that suffice, cited, in reading order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.answering.evidence import Measured, measure, term_weights
from rag.answering.question import MAX_QUESTION, Question, analyse, parts
from rag.answering.strips import Source, evidence, lead_in, strips_of, table_head
from rag.engines.local.answerable import answerable_features, answers
from rag.engines.local.contradictions import disagreeing
from rag.engines.local.mending import mend_spelling
from rag.engines.local.selection import ranked, selected
from rag.engines.local.wording import Chosen, worded
from rag.engines.openai.claims import read_claims
from rag.engines.protocol import Emit, Generated, GenerateRequest
from rag.index.protocol import CollectionReader
from state.passages import Passage


@dataclass(frozen=True, slots=True)
class Examined:
    """The passages' sentences against one question; `features` decide whether to answer;
    `order` is what may be said, the likeliest first.
    """

    question: Question
    measured: Sequence[Measured]
    features: Mapping[str, float]
    weights: Mapping[str, float]
    order: Sequence[int]


def generate(request: GenerateRequest, emit: Emit, collection: CollectionReader) -> Generated:
    """An empty text where no sentence answers."""
    chosen: list[Chosen] = []
    disagree = False
    for part in parts(request.question):
        examined = examine(part, request.passages, collection)
        if examined is None or not answers(examined.question, examined.features):
            continue
        against = disagreeing(
            examined.question,
            examined.measured,
            examined.weights,
            examined.order,
            # Passages with one title are taken for parts of one document.
            [passage["title"] or passage["source"] for passage in request.passages],
        )
        disagree = disagree or bool(against)
        for index in against or selected(examined.question, examined.measured, examined.order):
            choice = _chosen(examined, index, request.passages)
            if choice not in chosen:
                chosen.append(choice)
    if not chosen:
        return Generated(text="")
    text = worded(chosen, disagree=disagree)
    emit(text)
    return Generated(text=text, claims=tuple(read_claims(text)))


def examine(
    question: str, passages: Sequence[Passage], collection: CollectionReader
) -> Examined | None:
    """None where the passages hold no sentence."""
    parsed = analyse(mend_spelling(question[:MAX_QUESTION], collection).text)
    sources = _sources(passages)
    strips = strips_of(sources)
    if not evidence(strips):
        return None
    weights = term_weights(parsed.terms, collection)
    measured = measure(parsed, sources, strips, weights, collection.embedder)
    order = ranked(parsed, measured)
    features = answerable_features(
        parsed,
        measured,
        order[0],
        [source.about for source in sources],
        weights,
        collection.embedder,
    )
    return Examined(parsed, measured, features, weights, order)


def _chosen(examined: Examined, index: int, passages: Sequence[Passage]) -> Chosen:
    strips = [item.strip for item in examined.measured]
    head = table_head(strips, index)
    lead = None if strips[index].is_item else lead_in(strips, index)
    return Chosen(
        passages[strips[index].source],
        strips[index],
        None if head is None else strips[head],
        None if lead is None else strips[lead],
    )


def _sources(passages: Sequence[Passage]) -> list[Source]:
    sources = []
    for passage in passages:
        first = passage["spans"][0]["start_char"] if passage["spans"] else 0
        # Blanks stand for what was left out, so that offsets stay the document's.
        text = ""
        for span in passage["spans"]:
            text += "\n" * (span["start_char"] - first - len(text)) + span["text"]
        sources.append(
            Source(
                text,
                f"{passage['title'] or ''} {passage['heading']}",
                first,
                tuple((s["start_char"] - first, s["end_char"] - first) for s in passage["spans"]),
            )
        )
    return sources
