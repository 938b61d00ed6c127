"""Quotes that a draft brings with it, held against the document they are taken from."""

from __future__ import annotations

from collections.abc import Sequence

from rag.index.protocol import CollectionReader
from state.answer import Citation
from state.draft_claims import DraftQuote
from state.passages import Passage


def standing_quotes(
    quotes: Sequence[DraftQuote], passages: Sequence[Passage], reader: CollectionReader
) -> list[Citation]:
    """The quotes as citations, not numbered yet; none where one of them is not what stands there,
    or is of no passage that was given.
    """
    given = {passage["number"]: passage for passage in passages}
    citations: list[Citation] = []
    for quote in quotes:
        passage = given.get(quote["passage"])
        if passage is None or not _stands(quote, passage, reader):
            return []
        citations.append(
            {
                "marker": 0,
                "source": passage["source"],
                "title": passage["title"],
                "page": passage["page"],
                "start_line": quote["start_line"],
                "end_line": quote["end_line"],
                "start_char": quote["start_char"],
                "end_char": quote["end_char"],
                "chunk_id": passage["chunk_id"],
                "quote": quote["quote"],
                "passage": "\n".join(filter(None, (quote["lead"], quote["block"]))),
                "support": "verbatim",
            }
        )
        if "also" in passage:
            citations[-1]["also"] = passage["also"]
    return citations


def _stands(quote: DraftQuote, passage: Passage, reader: CollectionReader) -> bool:
    start, end = quote["block_start"], quote["block_end"]
    within = start <= quote["start_char"] < quote["end_char"] <= end
    inside = quote["block"][quote["start_char"] - start : quote["end_char"] - start]
    if not within or inside != quote["quote"]:
        return False
    text = reader.document_text(passage["source"], start, end)
    if text is not None:
        return text == quote["block"]
    # A passage of the web is in no collection: its spans are all that there is.
    return any(
        span["start_char"] <= start
        and end <= span["end_char"]
        and span["text"][start - span["start_char"] : end - span["start_char"]] == quote["block"]
        for span in passage["spans"]
    )
