"""Checks a draft part by part: are its quotes where it says, and its numbers and names in them?

No rule of words outvotes a model: a part with a located quote is shown, unless that quote itself
gives another number or date. Parts that are cited and in doubt may be shown to a model (`--verify
model`): what it finds supported is verified, what it denies is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.text.prose import as_prose
from state.answer import QUOTED, AnswerPart, Citation, ClaimRecord, ClaimVerdict
from state.blocks import Block, BlockKind
from state.passages import ContextDocument, heading_at, make_citation, text_between

if TYPE_CHECKING:
    from rag.citations.locate import QuoteSpan

NO_QUOTE = "(no quote found)"

_ROW = re.compile(r"\s*\|.*\|\s*$")
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})\s*$")
NOT_FOUND = "no quote of it was found"
STANDS = "its quote stands in the document"


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """A part's verdict; `citations` have no number yet. One that `claims_nothing` asks back;
    `denied`: the model that was asked says that its sources do not support it.
    """

    verdict: ClaimVerdict
    reason: str
    citations: tuple[Citation, ...] = ()
    claims_nothing: bool = False
    denied: bool = False

    @property
    def stands(self) -> bool:
        return self.verdict != "contradicted" and not self.denied


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """`text` is the draft without what was contradicted or denied, its markers numbered from 1 in
    order of appearance; `citations` has one entry a marker. `verdicts` are of the `parts`, in their
    order.
    """

    parts: Sequence[AnswerPart]
    verdicts: Sequence[PartVerdict]
    text: str
    citations: list[Citation]
    claims: list[ClaimRecord]

    @classmethod
    def of(cls, parts: Sequence[AnswerPart], verdicts: Sequence[PartVerdict]) -> CheckedDraft:
        shown: list[str] = []
        claims: list[ClaimRecord] = []
        numbers, citations = number_places(
            [each.citations if each.stands else () for each in verdicts]
        )
        for part, verdict, markers in zip(parts, verdicts, numbers, strict=True):
            if verdict.stands:
                written = "" if verdict.claims_nothing else written_markers(markers)
                text = with_markers(part["text"], written, verbatim=bool(part["located"]))
                shown += [part["before"] if shown else "", text]
            if not verdict.claims_nothing:
                claims.append(
                    {
                        "text": part["text"].strip(),
                        "verdict": verdict.verdict,
                        "citations": markers,
                        "reason": verdict.reason,
                    }
                )
        return cls(parts, verdicts, "".join(shown), citations, claims)

    @property
    def dropped(self) -> list[str]:
        judged = zip(self.parts, self.verdicts, strict=True)
        return [part["text"].strip() for part, verdict in judged if not verdict.stands]


def number_places(
    cited: Sequence[Sequence[Citation]],
) -> tuple[list[list[int]], list[Citation]]:
    """The markers of what each part cites, each once, and the places that they stand for, numbered
    from 1 by first mention.
    """
    numbered: dict[tuple[str, int, int], Citation] = {}
    for citation in (each for part in cited for each in part):
        numbered.setdefault(_place(citation), {**citation, "marker": len(numbered) + 1})
    markers = [
        [*dict.fromkeys(numbered[_place(each)]["marker"] for each in part)] for part in cited
    ]
    return markers, [*numbered.values()]


def _place(citation: Citation) -> tuple[str, int, int]:
    return citation["source"], citation["start_char"], citation["end_char"]


def written_markers(markers: Sequence[int]) -> str:
    return "".join(f"[{marker}]" for marker in markers) or NO_QUOTE


def check_draft(
    parts: Sequence[AnswerPart], context: Sequence[ContextDocument], question: str = ""
) -> CheckedDraft:
    """Checks each part against `context`, the documents that its writer was given."""
    given = {document["number"]: document for document in context}
    return CheckedDraft.of(parts, [_verdict(part, given, question) for part in parts])


def _verdict(part: AnswerPart, given: Mapping[int, ContextDocument], question: str) -> PartVerdict:
    if part["located"]:
        return PartVerdict("verified", QUOTED, tuple(part["located"]))
    from rag.citations.agreement import find_discrepancy
    from rag.citations.locate import locate

    found: list[QuoteSpan] = []
    for quote in part["quotes"]:
        if (document := given.get(quote["document"])) is not None:
            source = document["source"]
            before = [each.end for each in found if each.excerpt["source"] == source]
            found += locate(quote["quote"], document, behind=before[-1] if before else 0)
    if not found:
        asks = not part["quotes"] and part["text"].rstrip().endswith("?")
        return PartVerdict("unverified", NOT_FOUND, claims_nothing=asks)
    citations = tuple(map(_citation, found))
    found_wrong = find_discrepancy(
        part["text"],
        [each["quote"] for each in citations],
        question,
        [f"{place.excerpt['title'] or ''} {place.excerpt['heading']}" for place in found],
        [each["passage"] for each in citations],
        " ".join(dict.fromkeys(place.excerpt["text"] for place in found)),
    )
    if found_wrong is None:
        return PartVerdict("verified", STANDS, citations)
    return PartVerdict(*found_wrong, tuple({**c, "support": "unsupported"} for c in citations))


def names_another_matter(
    part: AnswerPart, context: Sequence[ContextDocument], question: str
) -> bool:
    """Whether a part names or counts what neither the question nor a document does."""
    from rag.citations.agreement import find_discrepancy

    held = [each["title"] or "" for each in context]
    held += [f"{e['heading']} {e['text']}" for each in context for e in each["excerpts"]]
    return find_discrepancy(part["text"], [], question, held) is not None


def _citation(place: QuoteSpan) -> Citation:
    excerpt = place.excerpt
    found = make_citation(excerpt, place.start, place.end, _passage(place))
    return {**found, "heading": as_prose(heading_at(excerpt, place.start))}


def doubtful_parts(checked: CheckedDraft) -> dict[int, tuple[str, str]]:
    """The text and the passages of each part that is cited but not verified, by its index."""
    return {
        place: (
            checked.parts[place]["text"].strip(),
            " … ".join(dict.fromkeys(citation["passage"] for citation in verdict.citations)),
        )
        for place, verdict in enumerate(checked.verdicts)
        if verdict.verdict == "unverified" and verdict.citations
    }


def with_verdicts(checked: CheckedDraft, supported: Sequence[bool]) -> CheckedDraft:
    """The draft with the model's verdicts on its `doubtful_parts`, in the same order, if any."""
    verdicts = [*checked.verdicts]
    for place, holds in zip(doubtful_parts(checked), supported, strict=False):
        found = verdicts[place]
        cited: Iterable[Citation] = ({**c, "support": "supported"} for c in found.citations)
        verdicts[place] = (
            PartVerdict("verified", "the model confirmed it on the source", tuple(cited))
            if holds
            else replace(found, denied=True, reason="the model denied it on the source")
        )
    return CheckedDraft.of(checked.parts, verdicts)


def _passage(place: QuoteSpan) -> str:
    """The passage of a quote: the blocks that it stands in, with their lead-in."""
    excerpt = place.excerpt
    blocks = [Block(*block) for block in excerpt["blocks"]]
    held = [b for b in blocks if b.start_char < place.end and place.start < b.end_char]
    if not held:
        return text_between(excerpt, place.start, place.end)
    first, last = min(b.start_char for b in held), max(b.end_char for b in held)
    passage = text_between(excerpt, first, last)
    lead = held[0].lead
    if lead is None or not excerpt["start_char"] <= lead[0] < first:
        return passage
    gap = "\n" if held[0].kind is BlockKind.ROW else "\n\n"
    return text_between(excerpt, lead[0], min(lead[1], excerpt["end_char"])) + gap + passage


def with_markers(text: str, markers: str, *, verbatim: bool = False) -> str:
    """A part with its markers: before the full stop, in a row's last cell, on a line below a closed
    fence or below text that ends in a line break; behind text that is `verbatim`.
    """
    below = text.endswith("\n")
    text = text.rstrip()
    last = text.rpartition("\n")[2]
    if not markers:
        return text
    if below or _FENCE.match(last):
        return f"{text}\n{markers}"
    if verbatim:
        return f"{text} {markers}"
    if _ROW.match(last):
        return f"{text.removesuffix('|').rstrip()} {markers} |"
    if text.endswith("...") or not text.endswith((".", "。", ":")):
        return f"{text} {markers}"
    return f"{text[:-1]} {markers}{text[-1]}"
