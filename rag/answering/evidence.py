"""Sentences measured against a question: what the refiner and the answerer rank by."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag.answering.candidates import candidates
from rag.answering.logistic import Logistic, load_logistic
from rag.answering.question import AnswerKind, Question, negations
from rag.answering.strips import Source, Strip, record, same_source, unsaid
from rag.index.terms import terms

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder
    from rag.index.protocol import CollectionReader

_TYPED = (AnswerKind.PERSON, AnswerKind.PLACE)
_COUNTS = (AnswerKind.DATE, AnswerKind.NUMBER)


@dataclass(frozen=True, slots=True)
class Measured:
    """A strip, how likely it holds the answer, and the features that say so; `context` holds its
    terms and those said for it around it: headings, title, the sentence before.
    """

    strip: Strip
    probability: float
    features: Mapping[str, float]
    context: frozenset[str]


def strip_model() -> Logistic:
    return load_logistic(Path(__file__).with_name("strip_model.json"))


def term_weights(wanted: Sequence[str], reader: CollectionReader) -> dict[str, float]:
    """Inverse document frequency of each term in the collection, as BM25 has it."""
    total = max(reader.chunk_count, 1)
    found = reader.document_frequencies(list(wanted))
    counts = {term: min(found.get(term, 0), total) for term in wanted}
    return {term: math.log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in counts.items()}


def coverage(wanted: Sequence[str], held: set[str], weights: Mapping[str, float]) -> float:
    """Share of the wanted terms' weight that is held, 0 to 1."""
    total = sum(weights[term] for term in wanted)
    return sum(weights[term] for term in wanted if term in held) / total if total else 0.0


def measure(
    question: Question,
    sources: Sequence[Source],
    strips: Sequence[Strip],
    weights: Mapping[str, float],
    embedder: Embedder,
    model: Logistic | None = None,
) -> list[Measured]:
    """Each strip measured, in the order given."""
    if not strips:
        return []
    vectors = embedder.embed_documents([strip.text for strip in strips])
    cosines = [float(c) for c in vectors @ embedder.embed_query(question.text)]
    asked = question.terms
    # A heading, a lead-in, the columns' names are said for every sentence under them.
    held = [
        set(strip.terms).union(*(strips[j].terms for j in unsaid(strips, i)))
        for i, strip in enumerate(strips)
    ]
    own = [coverage(asked, terms_, weights) for terms_ in held]
    about = [set(terms(source.about)) for source in sources]
    whole = [set(about_) for about_ in about]
    for strip, terms_ in zip(strips, held, strict=True):
        whole[strip.source] |= terms_
    of_source = [coverage(asked, terms_, weights) for terms_ in whole]
    best_own, best_cosine = max(own) or 1.0, max(cosines)
    model = model or strip_model()
    measured = []
    for i, strip in enumerate(strips):
        beside = [held[j] for j in (i - 1, i + 1) if same_source(strips, i, j)]
        fields = set().union(*(strips[j].terms for j in record(strips, i)))
        before = beside[0] if same_source(strips, i, i - 1) else set[str]()
        context = held[i] | before | fields | about[strip.source]
        fits = len(candidates(strip.text, question))
        features = {
            "coverage": own[i],
            "context_coverage": coverage(
                asked, held[i] | before | fields | about[strip.source], weights
            ),
            "source_coverage": of_source[strip.source],
            "coverage_to_best": own[i] / best_own,
            "cosine": cosines[i],
            "cosine_to_best": cosines[i] - best_cosine,
            "has_candidate": float(fits > 0),
            "candidates": math.log1p(min(fits, 8)),
            "bigrams": _bigrams(asked, strip.terms),
            "neighbours": coverage(asked, set().union(*beside), weights),
            "length": math.log1p(len(strip.terms)),
            "type_missing": float(question.kind in _TYPED and not fits),
            "count_type_missing": float(question.kind in _COUNTS and not fits),
            "names": _share(question.names, held[i]),
            "focus": _share(question.focus, held[i]),
            "same_polarity": float(bool(negations(strip.text)) == question.negated),
        }
        measured.append(Measured(strip, model.probability(features), features, frozenset(context)))
    return measured


def _share(wanted: frozenset[str], held: set[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _bigrams(asked: Sequence[str], held: Sequence[str]) -> float:
    """Share of the question's neighbouring term pairs that are neighbours here too."""
    pairs = set(itertools.pairwise(asked))
    return len(pairs & set(itertools.pairwise(held))) / len(pairs) if pairs else 0.0
