"""A draft's claims put together again: those that are shown, each with its markers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.index.terms import terms
from state.draft_claims import DraftClaim

UNVERIFIED = "(unverified)"

_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"[\s|:\-=*_+]+$")
_CLOSERS = "\"'”’»)*_`"


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands behind a claim that stays in the answer."""

    markers: tuple[int, ...]
    verified: bool

    def __str__(self) -> str:
        signs = "".join(f"[{number}]" for number in self.markers)
        return signs if self.verified else f"{signs} {UNVERIFIED}".lstrip()


def needs_support(claim: DraftClaim) -> bool:
    return claim["kind"] in ("claim", "code")


def is_claim(claim: DraftClaim) -> bool:
    """Whether it says anything."""
    return needs_support(claim) and bool(terms(claim["text"]))


def assemble(draft: Sequence[DraftClaim], kept: Mapping[int, Shown]) -> str:
    """The draft with the claims of these places in it only."""
    shown = [
        place
        for place, claim in enumerate(draft)
        if place in kept or (not needs_support(claim) and _introduces(draft, place, kept))
    ]
    text = ""
    last = -1
    for place in shown:
        # A gap left by a dropped sentence must not glue or tear paragraphs.
        gaps = [claim["before"] for claim in draft[last + 1 : place + 1]]
        text += _widest(gaps) if text else ""
        text += marked(draft[place], str(kept[place])) if place in kept else draft[place]["shown"]
        last = place
    return text.strip()


def _introduces(draft: Sequence[DraftClaim], place: int, kept: Mapping[int, Shown]) -> bool:
    """Whether a claim that a heading, a frame or a table's head introduces is still there."""
    kind = draft[place]["kind"]
    for number, claim in enumerate(draft[place + 1 :], place + 1):
        if number in kept:
            return True
        if kind != "table_head":
            if claim["kind"] == kind:
                return False
        elif not _ROW.match(claim["shown"]) and not _RULE.match(claim["shown"]):
            return False
    return False


def _widest(gaps: Sequence[str]) -> str:
    return max(gaps, key=lambda gap: (min(gap.count("\n"), 2), len(gap)), default="")


def marked(claim: DraftClaim, signs: str) -> str:
    """The claim with its markers, outside of what is quoted; below what ends as it was written."""
    text = claim["shown"].rstrip()
    if claim["kind"] == "code":
        return f"{text}\n{signs}"
    if claim["quotes"]:  # outside of what is quoted
        return f"{text} {signs}"
    if _ROW.match(text):
        body = text.rstrip().removesuffix("|").rstrip()
        return f"{body} {signs} |"
    core = text.rstrip(_CLOSERS)
    if core != text or core.endswith("...") or not core.endswith((".", "。", ":")):
        return f"{text} {signs}"
    return f"{text[:-1]} {signs}{text[-1]}"
