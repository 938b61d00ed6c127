"""What a subagent reads: whole files, and the quotes they rest on, numbered once for all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from rag.research.researcher import ReadFile
from rag.text.blocks import blocks_of_text
from state.answer import Citation
from state.passages import Passage
from state.research_state import Artifact

MOST_QUOTES = 24
LONGEST_FILE = 20_000
MARKER = re.compile(r"\[(\d{1,3})\]")

Place = tuple[str, int, int]


def place_of(citation: Citation) -> Place:
    return citation["source"], citation["start_char"], citation["end_char"]


def markers_in(text: str, citations: Sequence[Citation]) -> Iterator[re.Match[str]]:
    """The markers of a text, whose first group is their number: a "[1]" within a passage that
    the text quotes is none.
    """
    passages = [c["passage"].split() for c in citations if MARKER.search(c["passage"])]
    quoted = [r"\s+".join(map(re.escape, words)) for words in passages]
    either = re.compile("|".join([*sorted(quoted, key=len, reverse=True), MARKER.pattern]))
    return (found for found in either.finditer(text) if found[1])


def renumbered(artifact: Artifact, numbers: Mapping[Place, int]) -> str:
    """The artifact's text with each marker its place's number; those of no number go."""
    own = {c["marker"]: numbers.get(place_of(c)) for c in artifact["citations"]}
    text, shown, last = artifact["content"], "", 0
    for found in markers_in(text, artifact["citations"]):
        number = own.get(int(found[1]))
        shown += text[last : found.start()] + ("" if number is None else f"[{number}]")
        last = found.end()
    return shown + text[last:]


def cited_from(
    titles: Sequence[str], text: str, citations: Sequence[Citation]
) -> tuple[str, list[Citation]]:
    """What is cited from documents of these titles: each stretch up to its marker, whole."""
    own = [citation for citation in citations if citation["title"] in titles]
    markers = {citation["marker"] for citation in own}
    kept, last = [], 0
    for found in markers_in(text, citations):
        if int(found[1]) in markers:
            kept.append(text[last : found.end()].strip())
        last = found.end()
    return "\n\n".join(kept), own


def read_files_of(artifacts: Sequence[Artifact]) -> list[ReadFile]:
    """Their markers are the numbers of `citations_of`."""
    numbers = {place_of(citation): citation["marker"] for citation in citations_of(artifacts)}
    return [
        ReadFile(a["name"], a["instruction"], renumbered(a, numbers)[:LONGEST_FILE])
        for a in artifacts
        if a["content"]
    ]


def citations_of(artifacts: Sequence[Artifact]) -> list[Citation]:
    """The artifacts' citations numbered from 1, each place once; every artifact's first before
    any one's second, so that a bound leaves none out.
    """
    places: dict[Place, Citation] = {}
    for turn in zip_longest(*(artifact["citations"] for artifact in artifacts)):
        for citation in filter(None, turn):
            places.setdefault(place_of(citation), citation)
    chosen = list(places.values())[:MOST_QUOTES]
    return [{**citation, "marker": number} for number, citation in enumerate(chosen, 1)]


def passages_of(artifacts: Sequence[Artifact]) -> list[Passage]:
    """The same as passages, of the same numbers."""
    return [_passage(citation) for citation in citations_of(artifacts)]


def quoted(text: str, artifacts: Sequence[Artifact]) -> tuple[str, list[Citation]]:
    """A text that repeats the artifacts': its markers are known to hold."""
    every = citations_of(artifacts)
    cited = {int(found[1]) for found in markers_in(text, every)}
    return text, [c for c in every if c["marker"] in cited]


def _passage(citation: Citation) -> Passage:
    start, end = citation["start_char"], citation["end_char"]
    return {
        "number": citation["marker"],
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
                "lead": None,
                "blocks": blocks_of_text(citation["quote"], base=start),
                "part": 0,
                "score": 1.0,
            }
        ],
    }
