"""A draft checked part by part: are its quotes where it says, and its numbers and names in them?

No rule of words outvotes a model: what has a located quote is shown, and only a number or a date
that its own quote gives otherwise takes a part out. Parts that are cited and in doubt may be shown
to a model (`--verify model`): what it finds supported is verified, what it denies is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.text.prose import as_prose
from state.answer import QUOTED, AnswerPart, Citation, ClaimRecord, ClaimVerdict
from state.blocks import Block, BlockKind
from state.passages import ContextDocument, cited, heading_at, text_between

if TYPE_CHECKING:
    from rag.citations.locate import Located

NO_QUOTE = "(no quote found)"

_ROW = re.compile(r"\s*\|.*\|\s*$")
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})\s*$")
_CLOSERS = "\"'”’»)*_`"
NOT_FOUND = "no quote of it was found"
STANDS = "its quote stands in the document"


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a part; `citations` have no number yet. `asks`: it claims nothing."""

    verdict: ClaimVerdict
    reason: str
    citations: tuple[Citation, ...] = ()
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """`text` is the draft without what was contradicted, its markers numbered from 1 in order of
    appearance; `citations` has one entry a marker. `findings` are of the `parts`, in their order.
    """

    parts: Sequence[AnswerPart]
    findings: Sequence[Finding]
    text: str
    citations: list[Citation]
    claims: list[ClaimRecord]

    @classmethod
    def of(cls, parts: Sequence[AnswerPart], findings: Sequence[Finding]) -> Checked:
        numbers: dict[tuple[str, int, int], int] = {}
        citations: list[Citation] = []
        shown: list[tuple[str, str]] = []
        claims: list[ClaimRecord] = []
        for part, finding in zip(parts, findings, strict=True):
            markers: list[int] = []
            for citation in finding.citations if finding.verdict != "contradicted" else ():
                where = citation["source"], citation["start_char"], citation["end_char"]
                if where not in numbers:
                    numbers[where] = len(numbers) + 1
                    citations.append({**citation, "marker": numbers[where]})
                markers.append(numbers[where])
            markers = list(dict.fromkeys(markers))
            if finding.verdict != "contradicted":
                signs = "".join(f"[{number}]" for number in markers)
                signs = signs or ("" if finding.asks else NO_QUOTE)
                text = marked(part["text"], signs, verbatim=bool(part["located"]))
                shown.append((part["before"], text))
            if not finding.asks:
                claims.append(
                    {
                        "text": part["text"].strip(),
                        "verdict": finding.verdict,
                        "citations": markers,
                        "reason": finding.reason,
                    }
                )
        text = "".join(before + text for before, text in shown).strip()
        return cls(parts, findings, text, citations, claims)

    @property
    def dropped(self) -> list[str]:
        return [claim["text"] for claim in self.claims if claim["verdict"] == "contradicted"]

    @property
    def open(self) -> list[int]:
        """The places of the parts without one, of those that claim anything."""
        return [n for n, f in enumerate(self.findings) if not (f.citations or f.asks)]


def check(
    parts: Sequence[AnswerPart], context: Sequence[ContextDocument], question: str = ""
) -> Checked:
    """`context` is what was given to whoever wrote the parts."""
    given = {document["number"]: document for document in context}
    return Checked.of(parts, [_finding(part, given, question) for part in parts])


def _finding(part: AnswerPart, given: Mapping[int, ContextDocument], question: str) -> Finding:
    if part["located"]:
        return Finding("verified", QUOTED, tuple(part["located"]))
    from rag.citations.agreement import disagreement
    from rag.citations.locate import locate

    found: list[tuple[ContextDocument, Located]] = []
    for quote in part["quotes"]:
        document = given.get(quote["document"])
        places = locate(quote["quote"], document) if document is not None else []
        found += [(document, place) for place in places if document is not None]
    if not found:
        asks = not part["quotes"] and part["text"].rstrip().endswith("?")
        return Finding("unverified", _elsewhere(part, given) or NOT_FOUND, asks=asks)
    citations = tuple(_cited(document, place) for document, place in found)
    around = [question]
    for (document, place), citation in zip(found, citations, strict=True):
        around += [document["title"] or "", place.excerpt["heading"], citation["passage"]]
    found_wrong = disagreement(part["text"], [each["quote"] for each in citations], around)
    if found_wrong is None:
        return Finding("verified", STANDS, citations)
    return Finding(*found_wrong, tuple({**each, "support": "unsupported"} for each in citations))


def _cited(document: ContextDocument, place: Located) -> Citation:
    excerpt = place.excerpt
    found = cited(document, excerpt, place.start, place.end, _around(place))
    return {**found, "heading": as_prose(heading_at(excerpt, place.start))}


def _elsewhere(part: AnswerPart, given: Mapping[int, ContextDocument]) -> str | None:
    """Which other document a quote of it stands in: the model may name that one."""
    from rag.citations.locate import locate

    for quote in part["quotes"]:
        named = quote["document"]
        for number, document in given.items():
            if number != named and locate(quote["quote"], document):
                return f"its quote stands in [{number}], not in [{named}]"
    return None


def in_doubt(checked: Checked) -> dict[int, tuple[str, str]]:
    """The text and the passages of each part that is cited and not verified, by its place."""
    return {
        place: (
            checked.parts[place]["text"].strip(),
            " … ".join(dict.fromkeys(citation["passage"] for citation in finding.citations)),
        )
        for place, finding in enumerate(checked.findings)
        if finding.verdict == "unverified" and finding.citations
    }


def heard(checked: Checked, verdicts: Sequence[bool | None]) -> Checked:
    """With the model's verdicts on what is in doubt, in the same order."""
    said = dict(zip(in_doubt(checked), verdicts, strict=True))
    findings = [_heard(each, said.get(place)) for place, each in enumerate(checked.findings)]
    return Checked.of(checked.parts, findings)


def _heard(finding: Finding, supported: bool | None) -> Finding:
    if supported is None:
        return finding
    if not supported:
        return replace(finding, verdict="contradicted", reason="the model denied it on the source")
    cited: tuple[Citation, ...] = tuple({**c, "support": "supported"} for c in finding.citations)
    return Finding("verified", "the model confirmed it on the source", cited)


def _around(place: Located) -> str:
    """The blocks around a quote, with what introduces them."""
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


def marked(text: str, signs: str, *, verbatim: bool = False) -> str:
    """The part with its markers: outside of what is verbatim, before a sentence's full stop, in a
    row's last cell, below a closed fence and below what ends with a line of its own.
    """
    below = text.endswith("\n")
    text = text.rstrip()
    last = text.rpartition("\n")[2]
    if not signs:
        return text
    if below or _FENCE.match(last):
        return f"{text}\n{signs}"
    if verbatim:
        return f"{text} {signs}"
    if _ROW.match(last):
        return f"{text.removesuffix('|').rstrip()} {signs} |"
    core = text.rstrip(_CLOSERS)
    if core != text or core.endswith("...") or not core.endswith((".", "。", ":")):
        return f"{text} {signs}"
    return f"{text[:-1]} {signs}{text[-1]}"


def left_out(dropped: Sequence[str], claims: Sequence[ClaimRecord]) -> list[str]:
    """What was taken out of an answer, in a line each; with the reason, where the claim is told
    with its verdict.
    """
    reasons = {claim["text"]: claim["reason"] for claim in claims}
    return [
        f"left out: “{' '.join(text.split())}”" + (f" ({reasons[text]})" if text in reasons else "")
        for text in dropped
    ]
