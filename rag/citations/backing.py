"""What a model wrote and code could not prove, with the passages it rests on quoted behind it."""

from __future__ import annotations

from collections.abc import Sequence

from rag.citations.check import Checked, Finding
from rag.citations.quotes import standing_quotes
from rag.evidence.quotation import likeliest_spans, quoting_claim
from rag.index.protocol import CollectionReader
from rag.question.parse import ParsedQuestion
from state.answer import Citation
from state.passages import Passage, Span

MOST_PASSAGES = 2


def backed(
    checked: Checked,
    passages: Sequence[Passage],
    questions: Sequence[ParsedQuestion],
    reader: CollectionReader,
) -> Checked:
    """`checked` with the excerpts that its open claims cite, where none of its claims is proved, or
    one was taken out: who cannot trust a draft reads what it was made of.
    """
    proved, taken_out = checked.count("verified"), checked.count("contradicted")
    if (proved and not taken_out) or not (proved or checked.count("unverified")):
        return checked
    every = likeliest_spans(passages)
    cited = [c for f in checked.findings.values() if f.verdict == "unverified" for c in f.citations]
    chosen = {place: None for citation in cited for place in _holding(citation, every)}
    draft, findings = list(checked.draft), dict(checked.findings)
    for place in list(chosen or range(len(every[:1])))[:MOST_PASSAGES]:
        passage, span = every[place]
        claim = quoting_claim(questions[span["part"]], passage, span, reader)
        if quotes := standing_quotes(claim["quotes"], passages, reader):
            findings[len(draft)] = Finding("verified", "it is a quote", tuple(quotes))
            draft.append(claim)
    return Checked(draft, findings)


def _holding(citation: Citation, every: Sequence[tuple[Passage, Span]]) -> list[int]:
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
