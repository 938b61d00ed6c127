"""Scores each stretch of the retrieved chunks as an answer to the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.index.terms import terms
from rag.question.parse import share, specific_terms
from rag.reading.display import cells, named_cells
from rag.reading.reranker import MaxSim, Reranker, chunk_with_headings, title_of
from rag.reading.stretches import Stretch, stretches_of
from state.documents import heading_path
from state.passages import ParsedQuestion, RetrievedChunk, text_between

READ = 16
"""The most chunks whose stretches are scored: a question's own and as many that rewrites found."""

# Added to a stretch's similarity.
_RANK = 0.03
"""For each point that its chunk's score lies behind the best: of 327 questions on twelve
documentations the first stretch answers 178; 174 with .01, 168 with 0."""
_NAMED_SECTION = 0.1
"""For a stretch that begins a section which the question names ("What is a snapshot?"), and which
other pages mention too. Of 96 such questions, on four documentations kept out of every choice, the
snippet of 64 begins where they are answered, of 52 without this.
"""
_NEARER = 0.01
"""How much nearer than its document's title a field or a row must be to say something."""
_COVERED_BY_WORDS, _RANK_BY_WORDS, _CODE_BY_WORDS = 0.2, 0.2, 0.05
"""Used where no transformer reads: static vectors say less."""

JUDGED = 8
"""How many of the best stretches the cross-encoder scores."""
ROWS, LONGEST_ROW = 24, 1_000
"""How many of the best rows of tables are read by themselves, too, and characters of each: what the
reader reads at once.
"""
_JUDGED_WEIGHT = 1.2
"""The weight of the cross-encoder's score, 0 to 1, beside a stretch's own: of 327 questions on
twelve documentations one of the first three answers 218; with .8 217, with 1.6 218."""


@dataclass(frozen=True, slots=True)
class ScoredStretch:
    """`score` is comparable within one question only. `read` is the chunk as encoded with its title
    and headings, behind which its text `begins`. `judged` is the cross-encoder's score, 0 to 1.
    """

    stretch: Stretch
    score: float
    read: MaxSim
    begins: int
    judged: float = 0.0

    @property
    def unjudged(self) -> float:
        """The score without what the cross-encoder adds, which the others do not have."""
        return self.score - _JUDGED_WEIGHT * self.judged


def best_of(found: Sequence[ScoredStretch]) -> ScoredStretch | None:
    """The stretch that a person is shown first."""
    return max(found, key=lambda each: each.score, default=None)


def judge_stretches(
    question: ParsedQuestion, chunks: Sequence[RetrievedChunk], reranker: Reranker
) -> list[ScoredStretch]:
    """The scored stretches of the first chunks. Where models read, the cross-encoder adds to the
    scores of the best; the others are given the least of what it adds.
    """
    found = score_stretches(question, chunks, reranker)
    if not found or not reranker.is_neural:
        return found
    _read_rows(question, found, reranker)
    found.sort(key=lambda each: -each.score)
    texts = [judged_text(each.stretch) for each in found[:JUDGED]]
    said = reranker.judged(question["text"], texts)
    said += [min(said)] * (len(found) - len(said))
    return [
        replace(each, score=each.score + _JUDGED_WEIGHT * judged, judged=judged)
        for each, judged in zip(found, said, strict=True)
    ]


def _read_rows(question: ParsedQuestion, found: list[ScoredStretch], reranker: Reranker) -> None:
    """Gives the best rows the similarity that they have by themselves, as they are judged, where it
    is larger: between a table's bars a row says little.
    """
    places = [n for n, each in enumerate(found) if _header(each.stretch)]
    places = sorted(places, key=lambda n: -found[n].score)[:ROWS]
    if not places:  # nothing more is read, not even the question
        return
    texts = [judged_text(found[n].stretch)[:LONGEST_ROW] for n in places]
    alone = reranker.similarities(question["text"], texts)
    for n, text, read in zip(places, texts, alone, strict=True):
        row = found[n]
        in_table = row.read.nearness(*extents_of(row.stretch, row.begins))
        gained = max(read.nearness((0, len(text))) - in_table, 0.0)
        found[n] = replace(row, score=row.score + gained)


def judged_text(stretch: Stretch) -> str:
    """The stretch behind its headings; of a row each cell behind the name of its column, without
    which it says nothing.
    """
    text = stretch.text
    if header := _header(stretch):
        names = cells(text_between(stretch.chunk, *header).replace("_", " "))
        text = ". ".join(named_cells(names, cells(text)))
    return f"{heading_path(title_of(stretch.chunk), stretch.heading)}. {text}"


def _header(stretch: Stretch) -> tuple[int, int] | None:
    """Where the names of a row's columns stand, if they do so in its chunk."""
    lead = stretch.chunk["blocks"][stretch.units[0].place].lead
    held = stretch.units[0].alone and lead and lead[0] >= stretch.chunk["start_char"]
    return lead if held else None


def score_stretches(
    question: ParsedQuestion, chunks: Sequence[RetrievedChunk], reranker: Reranker
) -> list[ScoredStretch]:
    """The scored stretches of the first READ chunks, in their order."""
    best = chunks[:READ]
    top, ranks = _retrieval_scores(best)
    found: list[ScoredStretch] = []
    repeating: list[ScoredStretch] = []
    texts = list(map(chunk_with_headings, best))
    similarities = reranker.similarities(question["text"], texts)
    for chunk, text, likeness in zip(best, texts, similarities, strict=True):
        begins = len(text) - len(chunk["text"])
        behind = ranks[chunk["chunk_id"]] - top
        for stretch in stretches_of(chunk):
            extents = extents_of(stretch, begins)
            nearness = likeness.nearness(*extents)
            if reranker.is_neural:
                added = _RANK * behind + _NAMED_SECTION * _opens_named(question, stretch)
            else:
                held = share(question["weights"], set(terms(stretch.text)))
                added = _RANK_BY_WORDS * behind + _COVERED_BY_WORDS * held
                added += _CODE_BY_WORDS * stretch.has_code
            # Front matter, or a row, that is no nearer than its title says nothing.
            field = stretch.units[0].alone and not stretch.above
            least = likeness.nearness(extents[0]) + _NEARER if field else -1.0
            kept = found if _says_more(question, stretch) and nearness > least else repeating
            kept.append(ScoredStretch(stretch, nearness + added, likeness, begins))
    return found or repeating


def _opens_named(question: ParsedQuestion, stretch: Stretch) -> float:
    """The share of its heading's terms that are asked about, if it begins the section they name."""
    if stretch.units[0].alone or not stretch.above:
        return 0.0
    heading = set(terms(text_between(stretch.chunk, *stretch.above[-1].extent)))
    asked = set(specific_terms(question))
    named = bool(asked) and asked <= heading and stretch.begins_section
    return len(asked) / len(heading) if named else 0.0


def extents_of(stretch: Stretch, begins: int) -> list[tuple[int, int]]:
    """Where the stretch, its document's title, the headings above it and a row's header stand in
    an encoded text, whose chunk begins at `begins`.
    """
    own = [(stretch.start, stretch.end), *(each.extent for each in stretch.above)]
    if header := _header(stretch):
        own.append(header)
    before = begins - stretch.chunk["start_char"]
    found = [(before + start, before + end) for start, end in own]
    if not stretch.above:
        return [(0, begins), *found]
    title = title_of(stretch.chunk)
    return found if stretch.heading.startswith(title) else [(0, len(title)), *found]


def _retrieval_scores(chunks: Sequence[RetrievedChunk]) -> tuple[float, dict[str, float]]:
    """The best retrieval score, and each chunk's. What a rewrite found gets the lowest score of
    what the question itself found.
    """
    own = [chunk["score"] for chunk in chunks if not chunk["loop"]]
    top, least = max(own, default=0.0), min(own, default=0.0)
    ranks = {each["chunk_id"]: least if each["loop"] else each["score"] for each in chunks}
    return top, ranks


def _headings(stretch: Stretch) -> str:
    return f"{stretch.chunk['title'] or ''} {stretch.heading}"


def _says_more(question: ParsedQuestion, stretch: Stretch) -> bool:
    """Whether it has a term that neither the question nor the headings above have."""
    return bool(set(terms(stretch.text)).difference(question["terms"], terms(_headings(stretch))))
