"""The kinds of rewrite, each a function of what is known so far; tried in the order of REWRITES.

Which kinds are here, and their order, was decided by tests/benchmarks/rewriting.py. The question's
rarest words alone are not: in 78 uses they brought 5 documents among the best ten and drove 12
from there. Nor are the words nearest to it in meaning, which found nothing in 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.engines.local.words import read_terms
from rag.engines.protocol import RewriteRequest
from rag.index.protocol import CollectionReader
from rag.index.terms import fold, term_spans
from rag.question.parse import ParsedQuestion, rarity
from state.passages import RetrievedChunk

LEARN_FROM = 0.05
"""The least confidence of a passage whose words are worth searching for."""
BEST_PASSAGES = 3
_FEW_TERMS, _SOME_TERMS = 6, 12
_K1 = 1.2
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Proposal:
    query: str
    reason: str


@dataclass(frozen=True, slots=True)
class RewriteContext:
    """`best` are the likeliest few of the passages seen so far, `covered` the terms they
    hold; `found` says whether any of them was graded relevant.
    """

    question: ParsedQuestion
    best: Sequence[RetrievedChunk]
    covered: frozenset[str]
    found: bool
    collection: CollectionReader


Rewrite = Callable[[RewriteContext], Proposal | None]


def read_context(request: RewriteRequest, collection: CollectionReader) -> RewriteContext:
    # Nothing is learnt from passages that are about something else.
    ranked = sorted(
        (
            chunk
            for chunk in request.documents
            if _confidence(request, chunk["chunk_id"]) >= LEARN_FROM
        ),
        key=lambda chunk: -_confidence(request, chunk["chunk_id"]),
    )
    best = ranked[:BEST_PASSAGES]
    covered = frozenset(term for chunk in best for term in read_terms(chunk).held)
    found = any(grade["relevant"] for grade in request.grades.values())
    return RewriteContext(_least_covered(request, covered), best, covered, found, collection)


def _least_covered(request: RewriteRequest, covered: frozenset[str]) -> ParsedQuestion:
    """The question within the question that most is missing of."""
    return min((part.question for part in request.parts), key=lambda each: each.covered(covered))


def mend(context: RewriteContext) -> Proposal | None:
    """The question spelt as the collection spells it."""
    if not context.question.mended.changes:
        return None
    changes = ", ".join(
        f"'{typed}' as '{right}'" for typed, right in context.question.mended.changes
    )
    return Proposal(context.question.text, f"spells {changes}")


def look_for_the_rest(context: RewriteContext) -> Proposal | None:
    """What the best passages leave uncovered, in the company of their own chief words."""
    question = context.question
    missing = [term for term in question.specific if term not in context.covered]
    if not context.found or not missing or len(missing) == len(question.specific):
        return None
    words = [question.spelt[term] for term in missing]
    added = feedback_words(context, context.best, _FEW_TERMS)
    reason = f"nothing yet on {_listed(words)}: looks for that"
    if added:
        reason += f" with {_listed(added)} from the best passages"
    return Proposal(" ".join([*words, *added]), reason)


def follow_the_best(context: RewriteContext) -> Proposal | None:
    """The question with the chief words of the best passage (pseudo-relevance feedback,
    Rocchio 1971; weighed as RM3 does, Abdul-Jaleel et al. 2004).
    """
    added = feedback_words(context, context.best[:1], _SOME_TERMS)
    if not added:
        return None
    query = f"{context.question.text} {' '.join(added)}"
    return Proposal(query, f"adds {_listed(added)} from the best passage")


REWRITES: tuple[Rewrite, ...] = (
    mend,
    look_for_the_rest,
    follow_the_best,
)


def feedback_words(
    context: RewriteContext, passages: Sequence[RetrievedChunk], most: int
) -> list[str]:
    """The heaviest words of the passages that the question lacks."""
    weights: dict[str, float] = {}
    for chunk in passages:
        words = read_terms(chunk)
        for term, count in words.counts.items():
            if term not in context.question.weights and len(term) > 2:
                weights[term] = weights.get(term, 0.0) + count / (count + _K1)
    counts = context.collection.document_frequencies(sorted(weights))
    total = max(context.collection.chunk_count, 1)
    scored = {
        term: weight * rarity(counts[term], total)
        for term, weight in weights.items()
        # A word of one chunk alone finds no other chunk.
        if counts.get(term, 0) > 1
    }
    ranked = sorted(scored, key=lambda term: (-scored[term], term))[:most]
    spelt = _spelt(passages, set(ranked))
    return [spelt.get(term, term) for term in ranked]


def _spelt(passages: Sequence[RetrievedChunk], wanted: set[str]) -> dict[str, str]:
    """Each of these terms as it is written first."""
    spelt: dict[str, str] = {}
    for chunk in passages:
        text = f"{chunk['text']} {chunk['title'] or ''} {chunk['heading']}"
        for start, end, found in term_spans(text):
            for term in wanted.intersection(found) - spelt.keys():
                spelt[term] = fold(text[start:end])
            if len(spelt) == len(wanted):
                return spelt
    return spelt


def _confidence(request: RewriteRequest, chunk_id: str) -> float:
    grade = request.grades.get(chunk_id)
    return 0.0 if grade is None or grade["confidence"] is None else grade["confidence"]


def _listed(words: Sequence[str]) -> str:
    shown = ", ".join(f"'{word}'" for word in words[:_NAMED])
    return shown + (f" and {len(words) - _NAMED} more" if len(words) > _NAMED else "")
