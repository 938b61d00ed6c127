"""The answer that stands first, made of sentences that the searches found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rag.index.terms import terms
from rag.research.comparisons import Comparison, comparison
from rag.research.each import asks_of_each
from rag.research.focus import CITED_SENTENCE
from rag.research.protocol import ReadFile
from rag.research.questions import split, topic_of
from rag.research.reading import MARKER
from rag.research.roles.comparer import LEAD
from rag.research.roles.timeline import YEAR
from rag.research.topics import history
from state.passages import Passage

MOST_SENTENCES = 5
SENTENCES_A_PART = 2
MOST_TOLD = 3


def answer_of_parts(question: str, files: Sequence[ReadFile], passages: Sequence[Passage]) -> str:
    """For questions side by side, what was found of each, in their order; for a comparison,
    what answers it of each thing; for a history, what is dated; else nothing. Sentences stand
    as in the files, quotes as in the passages.
    """
    compared = comparison(question)
    if compared is not None:
        return " ".join(_of_each(compared, passages))
    if topic_of(question) is not None:
        return " ".join(dict.fromkeys(s for file in files for s in _told(file)[:MOST_TOLD]))
    if history(question):
        return " ".join(sorted(_dated(files), key=_year)[:MOST_SENTENCES])
    if split(question).independent or asks_of_each(question):
        asked = set(terms(question))
        return " ".join(dict.fromkeys(s for file in files for s in _closest(asked, _told(file))))
    return ""


def _closest(asked: set[str], sentences: Sequence[str]) -> list[str]:
    """The sentences that hold most of what is asked, as they stood."""
    held = [len(asked & set(terms(sentence))) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda i: -held[i])[:SENTENCES_A_PART]
    return [sentences[i] for i in sorted(best, key=lambda i: (held[i] < max(held), i))]


def _of_each(compared: Comparison, passages: Sequence[Passage]) -> list[str]:
    names = {term for name in compared.names for term in terms(name)}
    asked = set(terms(compared.measure or compared.asked)) - names
    found = [_nearest(name, asked, passages) for name in compared.names]
    return list(dict.fromkeys(filter(None, found)))


def _nearest(name: str, asked: set[str], passages: Sequence[Passage]) -> str:
    """The quote on a name that holds most of what is asked; among equals one that begins with
    the name, and then the earliest.
    """
    wanted = set(terms(name))
    held = [(terms(passage["spans"][0]["text"]), passage) for passage in passages]
    speaking = [
        ((len(asked & {*told}), wanted <= {*told[: len(wanted) + 1]}), passage)
        for told, passage in held
        if wanted <= {*told}
    ]
    if not speaking:
        return ""
    best = max(speaking, key=lambda pair: pair[0])[1]
    text = LEAD.sub("", " ".join(best["spans"][0]["text"].split()))
    return f"{text.rstrip('.')} [{best['number']}]."


def _dated(files: Sequence[ReadFile]) -> list[str]:
    return list(dict.fromkeys(s for file in files for s in _told(file) if YEAR.search(s)))


def _year(sentence: str) -> int:
    found = YEAR.search(sentence)
    return int(found[1]) if found else 0


def _told(file: ReadFile) -> list[str]:
    return [s.strip() for s in CITED_SENTENCE.findall(file.content)]


def chained(drafted: str, files: Sequence[ReadFile], passages: Sequence[Passage]) -> str:
    """The draft, and the hops that it, which knows the question's own words only, leaves out."""
    return " ".join([drafted, *_hops(drafted, files, passages)])


def _hops(drafted: str, files: Sequence[ReadFile], passages: Sequence[Passage]) -> Iterator[str]:
    """The first sentence of each file that rests on a source not cited yet."""
    sources = {passage["number"]: passage["source"] for passage in passages}
    cited = sources_in(drafted, sources)
    sentences = len(cited)
    for file in files:
        first = next(iter(CITED_SENTENCE.findall(file.content)), "")
        new = sources_in(first, sources)
        if new and not new <= cited and sentences < MOST_SENTENCES:
            sentences += 1
            cited |= new
            yield first.strip()


def sources_in(text: str, sources: Mapping[int, str]) -> set[str]:
    return {sources[int(n)] for n in MARKER.findall(text) if int(n) in sources}
