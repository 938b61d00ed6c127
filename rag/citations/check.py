"""A draft checked claim by claim: proved, open, or against its sources; and put together again.

A claim that is a quote is held against the document only. The evidence of any other one is every
sentence of the passages that it names, and then of all that were given, in the whole text of
their chunks; only what it names, or all where it names none, can contradict it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag.citations.assembly import Shown, assemble, is_claim
from rag.citations.emptiness import says_nothing
from rag.citations.evidence import Evidence, evidence
from rag.citations.judge import judge, judge_code
from rag.citations.quotes import standing_quotes
from rag.index.language import ENGLISH, in_language
from rag.index.protocol import CollectionReader
from state.answer import QUOTED, Citation, ClaimRecord, ClaimVerdict
from state.draft_claims import DraftClaim
from state.errors import ModelError
from state.passages import Passage, RetrievedChunk


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a claim; `citations` have no number yet. The nearest quote of an open claim
    is cited as "unsupported": "verbatim" and "supported" are said of what was proved only.
    """

    verdict: ClaimVerdict
    reason: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """`text` is the draft without what was contradicted, its markers numbered from 1 in order of
    appearance; `citations` has one entry a marker. `findings` are by place in `draft`.
    """

    draft: Sequence[DraftClaim]
    findings: Mapping[int, Finding]
    text: str = field(init=False)
    citations: list[Citation] = field(init=False)
    claims: list[ClaimRecord] = field(init=False)

    def __post_init__(self) -> None:
        numbers: dict[tuple[str, int, int], int] = {}
        citations: list[Citation] = []
        shown: dict[int, Shown] = {}
        claims: list[ClaimRecord] = []
        for place, finding in self.findings.items():
            markers: list[int] = []
            for citation in finding.citations if finding.verdict != "contradicted" else ():
                where = citation["source"], citation["start_char"], citation["end_char"]
                if where not in numbers:
                    numbers[where] = len(numbers) + 1
                    citations.append({**citation, "marker": numbers[where]})
                elif citation["support"] != "unsupported":
                    at = numbers[where] - 1
                    citations[at] = {**citation, "marker": numbers[where]}
                markers.append(numbers[where])
            markers = list(dict.fromkeys(markers))
            if finding.verdict != "contradicted":
                shown[place] = Shown(tuple(markers), finding.verdict == "verified")
            claims.append(
                {
                    "text": self.draft[place]["text"].strip(),
                    "verdict": finding.verdict,
                    "citations": markers,
                    "reason": finding.reason,
                }
            )
        object.__setattr__(self, "text", assemble(self.draft, shown))
        object.__setattr__(self, "citations", citations)
        object.__setattr__(self, "claims", claims)

    def count(self, verdict: ClaimVerdict) -> int:
        return sum(claim["verdict"] == verdict for claim in self.claims)

    @property
    def dropped(self) -> list[str]:
        return [claim["text"] for claim in self.claims if claim["verdict"] == "contradicted"]


# Its rules of what proves a claim are made for English stems, and hold of other texts by them.
@in_language(ENGLISH)
def check(
    draft: Sequence[DraftClaim],
    passages: Sequence[Passage],
    reader: CollectionReader,
    documents: Sequence[RetrievedChunk] = (),
    question: str = "",
) -> Checked:
    """`documents` hold the whole chunks that the passages were cut from. Sentences that say
    nothing are left out, and no finding tells of them.
    """
    quoted = all(claim["quotes"] for claim in draft if is_claim(claim))
    given = [] if quoted else evidence(passages, documents, reader)
    claims = {
        place: claim
        for place, claim in enumerate(draft)
        if is_claim(claim) and (claim["quotes"] or not says_nothing(claim["text"], question))
    }
    findings = {}
    for place, claim in claims.items():
        quotes = standing_quotes(claim["quotes"], passages, reader) if claim["quotes"] else []
        if quotes:
            findings[place] = Finding("verified", QUOTED, tuple(quotes))
        else:
            findings[place] = _judged(claim, given, reader)
    return Checked(draft, findings)


def _judged(
    claim: DraftClaim,
    given: Sequence[Evidence],
    reader: CollectionReader,
) -> Finding:
    named = [item for item in given if item.passage["number"] in claim["passages"]]
    rest = [item for item in given if item.passage["number"] not in claim["passages"]]
    if claim["kind"] == "code":
        judgement = judge_code(claim["text"], [*named, *rest])
    else:
        judgement = judge(claim["text"], [*named, *rest], named or given)
    rests = judgement.rests or _nearest(claim["text"], named, reader)
    cited = tuple(item.citation(judgement.support) for item in rests)
    return Finding(judgement.verdict, judgement.reason, cited)


def _nearest(
    text: str, named: Sequence[Evidence], reader: CollectionReader
) -> tuple[Evidence, ...]:
    """Of what a claim names though it has no word of it: nearest in meaning, as in another
    language. An embedder that cannot be reached costs nobody the answer.
    """
    if not named:
        return ()
    try:
        vectors = reader.embedder.embed_documents([text, *(item.quote for item in named)])
    except ModelError:
        return tuple(named[:1])
    cosines = vectors[1:] @ vectors[0]
    return (named[int(cosines.argmax())],)
