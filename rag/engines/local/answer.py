"""An answer that is quoted: the likeliest excerpts, whole, each cited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.engines.local.grader_model import grader_model
from rag.engines.protocol import Emit, Generated, GenerateRequest
from rag.evidence.quotation import likeliest_spans, quoting_claim
from rag.index.protocol import CollectionReader
from state.draft_claims import DraftClaim
from state.passages import Passage, Span

MOST_EXCERPTS = 3
MOST_OF_A_PART = 2
WORTH_SHOWING = 0.02
"""Of the likeliest excerpt's probability, what a further one must have to stand beside it. Of 108
questions on documentation left out of each fit, three excerpts hold the answer to 80; with .02 none
of these is lost, with .05 one, with .2 six, with .3 ten."""

Quoted = tuple[Passage, Span]


def generate(request: GenerateRequest, emit: Emit, collection: CollectionReader) -> Generated:
    """Part by part, in their order; a part that the collection knows nothing of is named."""
    every = likeliest_spans(request.passages)
    most = MOST_EXCERPTS if len(request.parts) == 1 else MOST_OF_A_PART
    claims: list[DraftClaim] = []
    missing: list[str] = []
    shown: list[Quoted] = []
    for number, part in enumerate(request.parts):
        own = [pair for pair in every if pair[1]["part"] == number]
        if part.known is not None and not grader_model().knows(part.known):
            missing.append(part.question.text)
        else:
            new = [pair for pair in _worth(own, most) if not _is_shown(pair, shown)]
            shown += new
            claims += [quoting_claim(part.question, *pair, collection) for pair in new]
    text = "\n\n".join(claim["shown"] for claim in claims)
    if text:
        emit(text)
    warnings = [f"Not found in the documents: “{question}”." for question in missing]
    sure = request.confidence
    if text and sure is not None and sure < grader_model().relevant:
        warnings.append("Not sure that this answers it: these are the nearest passages there are.")
    return Generated(text, tuple(claims), complete=not missing, warnings=tuple(warnings))


def _is_shown(pair: Quoted, shown: Sequence[Quoted]) -> bool:
    """Whether any of it stands in the answer already, for a part before."""
    passage, span = pair
    return any(
        passage["number"] == other["number"]
        and span["start_char"] < quoted["end_char"]
        and quoted["start_char"] < span["end_char"]
        for other, quoted in shown
    )


def _worth(likeliest: Sequence[Quoted], most: int) -> Iterator[Quoted]:
    """Those about as likely to hold the answer as the first."""
    for passage, span in likeliest[:most]:
        if span["score"] >= WORTH_SHOWING * likeliest[0][1]["score"]:
            yield passage, span
