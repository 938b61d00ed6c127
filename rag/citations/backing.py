"""What a model wrote and code could not prove, with the passages it rests on quoted behind it."""

from __future__ import annotations

from collections.abc import Sequence

from rag.citations.check import Checked, Finding
from rag.citations.quotes import standing_quotes
from rag.evidence.quotation import (
    EXCERPTS_QUOTED,
    Quoted,
    likeliest_spans,
    quoting_claims,
    worth_quoting,
)
from rag.index.protocol import CollectionReader
from rag.question.parse import ParsedQuestion
from state.answer import QUOTED, Citation
from state.passages import Passage


def backed(
    checked: Checked,
    passages: Sequence[Passage],
    questions: Sequence[ParsedQuestion],
    reader: CollectionReader,
    *,
    sure: bool,
) -> Checked:
    """`checked` with the excerpts that its open claims cite: who cannot trust a sentence reads
    what it was made of. Where none is proved, or one was taken out, with the likeliest excerpts
    too, as many as are quoted without a model; where nothing was drafted, if code is `sure` that
    they answer.
    """
    every = likeliest_spans(passages)
    cited = [c for f in checked.findings.values() if f.verdict == "unverified" for c in f.citations]
    places = [place for citation in cited for place in _holding(citation, every)]
    if (checked.claims or sure) and (
        not checked.count("verified") or checked.count("contradicted")
    ):
        places += range(len(worth_quoting(every)))
    draft, findings = list(checked.draft), dict(checked.findings)
    quoted = [every[place] for place in list(dict.fromkeys(places))[:EXCERPTS_QUOTED]]
    for claim in quoting_claims(questions, quoted):
        if quotes := standing_quotes(claim["quotes"], passages, reader):
            findings[len(draft)] = Finding("verified", QUOTED, tuple(quotes))
            draft.append(claim)
    return Checked(draft, findings)


def _holding(citation: Citation, every: Sequence[Quoted]) -> list[int]:
    """The place of the excerpt that the quote stands in, or else of the likeliest one of its
    chunk.
    """
    own = [n for n, (passage, _) in enumerate(every) if passage["chunk_id"] == citation["chunk_id"]]
    within = [
        n
        for n in own
        if every[n][1]["start_char"] < citation["end_char"]
        and citation["start_char"] < every[n][1]["end_char"]
    ]
    return (within or own)[:1]
