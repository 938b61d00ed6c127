"""Whether the best sentences answer the question or only look as if they did."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rag.answering.candidates import candidates
from rag.answering.evidence import Measured
from rag.answering.logistic import Logistic, load_logistic
from rag.answering.question import AnswerKind, Question
from rag.embed.protocol import Embedder
from rag.engines.local.mismatch import mismatches
from rag.index.terms import terms

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


def answerable_model() -> Logistic:
    """Its threshold is the probability below which the engine abstains."""
    return load_logistic(Path(__file__).with_name("answerable.json"))


def answerable_features(
    question: Question,
    measured: Sequence[Measured],
    about: Sequence[str],
    weights: Mapping[str, float],
    embedder: Embedder,
) -> dict[str, float]:
    """Of the likeliest strip; `about` is what each source's sentences leave unsaid.

    Raises:
        ValueError: nothing was measured.

    """
    best, *others = sorted(measured, key=lambda item: -item.probability)
    strip, asked = best.strip, question.terms
    held = set(strip.terms)
    context = held | set(terms(about[strip.source]))
    around = set(context)
    for other in measured:
        if other.strip.source == strip.source:
            around |= set(other.strip.terms)
            if other.strip.index == strip.index - 1:
                context |= set(other.strip.terms)
    everything = {term for item in measured for term in item.strip.terms} | around
    features = {
        "qwords": math.log1p(len(asked)),
        "probability": math.log(max(best.probability, 1e-6)),
        "gap": best.probability - max((o.probability for o in others), default=0.0),
        "cosine": best.features["cosine"],
        "bigrams": best.features["bigrams"],
        "focus": best.features["focus"],
        **_missing("sentence", question, held, weights),
        **_missing("context", question, context, weights),
        **_missing("source", question, around, weights),
        **_missing("any", question, everything, weights),
        **_in_order(asked, strip.terms),
        **_soft(question, strip.text, weights, embedder),
        **_candidate(question, strip.text),
        **mismatches(question, strip.text, strip.terms, weights),
    }
    for kind in AnswerKind:
        features[f"is_{kind.value}"] = float(question.kind is kind)
    return features


def _missing(
    where: str, question: Question, held: set[str], weights: Mapping[str, float]
) -> dict[str, float]:
    asked = question.terms
    total = sum(weights[term] for term in asked) or 1.0
    absent = [term for term in asked if term not in held]
    return {
        f"missing_{where}": sum(weights[term] for term in absent) / total,
        f"rarest_missing_{where}": max((weights[term] for term in absent), default=0.0) / 8,
        f"name_missing_{where}": max(
            (weights[t] for t in absent if t in question.names), default=0.0
        )
        / 8,
        f"number_missing_{where}": float(any(number not in held for number in question.numbers)),
    }


def _in_order(asked: Sequence[str], said: Sequence[str]) -> dict[str, float]:
    """How much of the question stands in the sentence in its order, and how densely."""
    places = [i for i, term in enumerate(said) if term in set(asked)]
    table = [0] * (len(said) + 1)
    for term in asked:
        diagonal = 0
        for j, other in enumerate(said, start=1):
            diagonal, table[j] = (
                table[j],
                (diagonal + 1 if term == other else max(table[j], table[j - 1])),
            )
    matched = len(set(asked) & set(said))
    return {
        "in_order": table[-1] / max(1, len(asked)),
        "order_kept": table[-1] / matched if matched else 1.0,
        "density": len(places) / (places[-1] - places[0] + 1) if len(places) > 1 else 0.0,
        "reach": (places[-1] - places[0]) / max(1, len(said)) if places else 1.0,
    }


def _soft(
    question: Question, sentence: str, weights: Mapping[str, float], embedder: Embedder
) -> dict[str, float]:
    """How near each word of the question is to the nearest word of the sentence."""
    asked = [word for word in dict.fromkeys(_WORD.findall(question.text.lower())) if terms(word)]
    said = [word for word in dict.fromkeys(_WORD.findall(sentence.lower())) if terms(word)]
    if not asked or not said:
        return {"soft": 0.0, "soft_weighted": 0.0, "soft_least": 0.0, "soft_worst": 1.0}
    vectors = embedder.embed_documents([*asked, *said])
    near = (vectors[: len(asked)] @ vectors[len(asked) :].T).max(axis=1)
    weight = [max(weights.get(term, 1.0) for term in terms(word)) for word in asked]
    return {
        "soft": float(near.mean()),
        "soft_weighted": float(sum(n * w for n, w in zip(near, weight, strict=True)) / sum(weight)),
        "soft_least": float(near.min()),
        "soft_worst": float(max(w * (1 - n) for n, w in zip(near, weight, strict=True)) / 8),
    }


def _candidate(question: Question, sentence: str) -> dict[str, float]:
    found = candidates(sentence, question)
    asked = set(question.terms)
    places = [m.start() for m in _WORD.finditer(sentence) if asked & set(terms(m.group()))]
    nearest = min(
        (abs(place - edge) for place in places for span in found for edge in span), default=200
    )
    return {"has_candidate": float(bool(found)), "candidate_distance": min(nearest, 200) / 100}
