"""An answer cut to what it says of the names that were asked about.

The search for one thing finds its neighbours too; what is not about the thing is left out of
the report rather than cited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.index.terms import terms
from rag.research.reading import MARKER
from state.answer import Citation

CITED_SENTENCE = re.compile(r".+?(?:\[\d{1,3}\])+(?: \(unverified\))?[.!?]?", re.DOTALL)
_TITLE, _START, _MENTION = 3, 2, 1
_MORE_WORDS = 2
"""Words that a title, or the start of a sentence, may have beside the name."""


def focused(
    text: str, citations: Sequence[Citation], names: Sequence[str], topic: str = ""
) -> tuple[str, list[Citation]]:
    """The sentences nearest to each name, and their citations: those of a document titled so,
    else those that begin with it, else those that mention it. None of them, if none touches on
    the topic, where there is one.
    """
    cited = {citation["marker"]: citation for citation in citations}
    sentences = [found.strip() for found in CITED_SENTENCE.findall(text)]
    kept: set[int] = set()
    for name in names:
        ranks = [_rank(name, sentence, cited) for sentence in sentences]
        best = max(ranks, default=0)
        kept |= {i for i, rank in enumerate(ranks) if rank == best and rank}
    text = " ".join(sentences[i] for i in sorted(kept))
    if topic and not set(terms(topic)) & set(terms(text)):
        return "", []
    markers = {int(n) for n in MARKER.findall(text)}
    return text, [citation for citation in citations if citation["marker"] in markers]


def _rank(name: str, sentence: str, cited: Mapping[int, Citation]) -> int:
    wanted = set(terms(name))
    sources = [cited[int(n)] for n in MARKER.findall(sentence) if int(n) in cited]
    titles = [set(terms(citation["title"] or "")) for citation in sources]
    if any(wanted <= title and len(title - wanted) <= _MORE_WORDS for title in titles):
        return _TITLE
    told = terms(MARKER.sub("", sentence))
    if wanted <= set(told[: len(wanted) + _MORE_WORDS]):
        return _START
    held = wanted & {*told, *(term for title in titles for term in title)}
    # A description, unlike a name, is seldom repeated word for word.
    enough = len(wanted) if name != name.lower() else len(wanted) / 2
    return _MENTION if held and len(held) >= enough else 0
