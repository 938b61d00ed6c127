"""What a subagent reads: whole files, and the quotes they rest on, numbered once for all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.research.protocol import ReadFile
from rag.text.blocks import blocks_of_text
from state.answer import Citation
from state.passages import Passage, block_spans
from state.research_state import Artifact

MOST_QUOTES = 24
LONGEST_FILE = 20_000
MARKER = re.compile(r"\[(\d{1,3})\]")

Place = tuple[str, int, int]


def place_of(citation: Citation) -> Place:
    return citation["source"], citation["start_char"], citation["end_char"]


def renumbered(artifact: Artifact, numbers: Mapping[Place, int]) -> str:
    """The artifact's text with each marker its place's number; those of no number go."""
    own = {c["marker"]: numbers.get(place_of(c)) for c in artifact["citations"]}
    shown = {marker: f"[{number}]" for marker, number in own.items() if number is not None}
    return MARKER.sub(lambda m: shown.get(int(m.group(1)), ""), artifact["content"])


def read_files_of(artifacts: Sequence[Artifact], passages: Sequence[Passage]) -> list[ReadFile]:
    numbers = {
        (p["source"], span["start_char"], span["end_char"]): p["number"]
        for p in passages
        for span in p["spans"]
    }
    return [
        ReadFile(artifact["name"], renumbered(artifact, numbers)[:LONGEST_FILE])
        for artifact in artifacts
        if artifact["content"]
    ]


def citations_of(artifacts: Sequence[Artifact]) -> list[Citation]:
    """The artifacts' citations numbered from 1, each place once."""
    places: dict[Place, Citation] = {}
    for citation in _by_turns([artifact["citations"] for artifact in artifacts]):
        places.setdefault(place_of(citation), citation)
    chosen = list(places.values())[:MOST_QUOTES]
    return [{**citation, "marker": number} for number, citation in enumerate(chosen, 1)]


def passages_of(artifacts: Sequence[Artifact]) -> list[Passage]:
    """The same as passages, of the same numbers."""
    return [_passage(citation["marker"], citation) for citation in citations_of(artifacts)]


@dataclass(frozen=True, slots=True)
class Rested:
    """A text and what it rests on; `left_out` tells of the claims that were taken out of it."""

    text: str
    citations: list[Citation]
    left_out: tuple[str, ...] = ()


def quoted(text: str, artifacts: Sequence[Artifact]) -> Rested:
    """A text whose sentences are the artifacts' own: its markers are known to hold."""
    cited = {int(found) for found in MARKER.findall(text)}
    citations = [c for c in citations_of(artifacts) if c["marker"] in cited]
    return Rested(text if citations else "", citations)


def _by_turns(cited: Sequence[Sequence[Citation]]) -> Iterator[Citation]:
    """Every artifact's first citation before any one's second: a bound leaves none out."""
    for turn in range(max(map(len, cited), default=0)):
        yield from (citations[turn] for citations in cited if turn < len(citations))


def _passage(number: int, citation: Citation) -> Passage:
    start, end = citation["start_char"], citation["end_char"]
    return {
        "number": number,
        "chunk_id": citation["chunk_id"],
        "source": citation["source"],
        "title": citation["title"],
        "heading": "",
        "page": citation["page"],
        "start_char": start,
        "end_char": end,
        "spans": [
            {
                "start_char": start,
                "end_char": end,
                "start_line": citation["start_line"] or 1,
                "end_line": citation["end_line"] or 1,
                "text": citation["quote"],
                "heading": "",
                "lead": None,
                "blocks": block_spans(blocks_of_text(citation["quote"], base=start)),
                "part": 0,
                "score": 1.0,
            }
        ],
    }
