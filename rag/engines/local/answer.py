"""Answers made of the sentences that answer: the fewest that suffice, cited, in reading order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.answering.candidates import candidates
from rag.answering.evidence import (
    Measured,
    Source,
    evidence,
    measure,
    strips_of,
    table_head,
    term_weights,
)
from rag.answering.question import AnswerKind, Question, analyse, parts
from rag.answering.refine import leans_on
from rag.engines.local.answerable import answerable_features, answerable_model
from rag.engines.local.contradictions import disagreeing
from rag.engines.local.wording import Chosen, worded
from rag.engines.protocol import Emit, Generated, GenerateRequest
from rag.index.protocol import CollectionReader
from state.passages import Passage

MOST_SENTENCES = 3
# A further sentence stands beside the best only if it is about as likely to hold the answer.
NEARLY_AS_LIKELY = 0.4
_TYPED_KINDS = (AnswerKind.DATE, AnswerKind.NUMBER, AnswerKind.PERSON, AnswerKind.PLACE)


@dataclass(frozen=True, slots=True)
class Examined:
    """The passages' sentences against one question; `features` decide whether to answer."""

    question: Question
    measured: Sequence[Measured]
    features: Mapping[str, float]


def generate(request: GenerateRequest, emit: Emit, collection: CollectionReader) -> Generated:
    """An empty text where no sentence answers."""
    chosen: list[Chosen] = []
    disagree = False
    for part in parts(request.question):
        examined = examine(part, request.passages, collection)
        if examined is None or not _answers(examined):
            continue
        against = disagreeing(examined.question, examined.measured)
        disagree = disagree or bool(against)
        for index in against or _sentences(examined):
            choice = _chosen(examined, index, request.passages)
            if choice not in chosen:
                chosen.append(choice)
    if not chosen:
        return Generated(text="")
    text = worded(chosen, disagree=disagree)
    emit(text)
    return Generated(text=text)


def examine(
    question: str, passages: Sequence[Passage], collection: CollectionReader
) -> Examined | None:
    """None where the passages hold no sentence."""
    parsed = analyse(question)
    sources = _sources(passages)
    strips = strips_of(sources)
    if not evidence(strips):
        return None
    weights = term_weights(parsed.terms, collection)
    measured = measure(parsed, sources, strips, weights, collection.embedder)
    features = answerable_features(
        parsed,
        [measured[i] for i in evidence(strips)],
        [source.about for source in sources],
        weights,
        collection.embedder,
    )
    return Examined(parsed, measured, features)


def _chosen(examined: Examined, index: int, passages: Sequence[Passage]) -> Chosen:
    strips = [item.strip for item in examined.measured]
    head = table_head(strips, index)
    return Chosen(
        passages[strips[index].source], strips[index], None if head is None else strips[head]
    )


def _answers(examined: Examined) -> bool:
    model = answerable_model()
    return model.probability(examined.features) >= model.threshold


def _sources(passages: Sequence[Passage]) -> list[Source]:
    return [
        Source(
            # Spaces stand for what was left out, so that offsets stay the document's.
            text=_padded(passage),
            about=f"{passage['title'] or ''} {passage['heading']}",
            start_char=passage["spans"][0]["start_char"] if passage["spans"] else 0,
        )
        for passage in passages
    ]


def _padded(passage: Passage) -> str:
    text = ""
    first = passage["spans"][0]["start_char"] if passage["spans"] else 0
    for span in passage["spans"]:
        gap = span["start_char"] - first - len(text)
        text += "\n" * gap + span["text"]
    return text


def _sentences(examined: Examined) -> list[int]:
    """Indices of the sentences of the answer, the likeliest first."""
    measured = examined.measured
    strips = [item.strip for item in measured]
    order = sorted(evidence(strips), key=lambda i: -measured[i].probability)
    if examined.question.kind in _TYPED_KINDS:
        order = _typed_first(examined, order)
    least = NEARLY_AS_LIKELY * measured[order[0]].probability
    near = [i for i in order if measured[i].probability >= least]
    found = near[:MOST_SENTENCES]
    for i in list(found):
        # A sentence that opens with "It" is not understood without the one before.
        before = [
            j for j in leans_on(strips, i) if j not in found and table_head(strips, i) is None
        ]
        if before and len(found) < MOST_SENTENCES:
            found += before
    return found


def _typed_first(examined: Examined, order: list[int]) -> list[int]:
    """A sentence with a date before one without, where a date is asked for."""
    question, measured = examined.question, examined.measured
    best = measured[order[0]].probability
    fitting = [
        i
        for i in order
        if measured[i].probability >= NEARLY_AS_LIKELY * best
        and candidates(measured[i].strip.text, question)
    ]
    return fitting + [i for i in order if i not in fitting]
