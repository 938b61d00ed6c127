"""Questions taken apart by rules, each kind in its way, into questions that can be searched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.index.terms import term_spans, terms
from rag.research.comparisons import comparison
from rag.research.topics import changed, history

MOST_PARTS = 7
LONGEST = 2_000
_LEAST_WORDS = 2
_BEFORE = r"(?:(?:in|at|to|of|for|by|on|from|since)\s+)?"
# What joins two questions, and what the second one begins with, in a few languages.
_JOINED = (
    ("and", "who|whom|whose|what|when|where|why|how|which"),
    ("und", "wer|wen|wem|was|wann|wo|warum|wieso|wie|welche[rsmn]?"),
    ("et", "qui|que|quoi|quand|où|pourquoi|comment|combien|quel(?:le)?s?"),
    ("y|e", "quién(?:es)?|qué|cuándo|dónde|cómo|cuál(?:es)?|cuánt[oa]s?|chi|quando|dove|quanto"),
    ("en|och", "wie|wat|wanneer|waar|waarom|hoe|vem|vad|när|hur"),
)
_AUXILIARIES = "is|are|was|were|do|does|did|can|could|has|have|compare|list|give|tell|describe"
_SEVERAL = re.compile(
    r"(?<=[?\uff1f])\s*|;\s+|,\s+(?=(?:how|what|why)\b)"
    + "".join(rf"|,?\s+(?:{joint})\s+(?={_BEFORE}(?:{asking})\b)" for joint, asking in _JOINED),
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"[¿(\"'\s]*{_BEFORE}(?:{'|'.join(asking for _, asking in _JOINED)}|{_AUXILIARIES})\b",
    re.IGNORECASE,
)
_VERBS = "is|are|was|were|do|does|did|can|could|has|have|will|would|should"
_COMMA = re.compile(r",\s+(?:and\s+)?", re.IGNORECASE)
# A question by itself: "which mill" is none, nor is "was built in 1874" behind another.
_WHOLE = re.compile(
    rf"{_BEFORE}(?:(?:what|which)\b.*?\b(?:{_VERBS})\b|(?:who|whom|whose|when|where|why|how)\s+\w|"
    rf"(?:{_VERBS})\s+(?!(?:in|on|at|by|of|from|built|made|held|not|also|still|\w+ed|\w+en)\b)\w)",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"(?<=[a-z]{3}[.!])\s+(?=[A-Z¿])")
_CLAUSE = re.compile(
    r",?\s+\b(who|whom|whose|which|that|where|when|(?:in|of|for|by|at|on|to|from) which)\b\s+"
)
_NOUN = re.compile(r"([\w'’-]+)$")
_ITEMS = re.compile(
    r"^(?P<head>.*?\b(?:to|for|of|about|on|in|with|from|are|is|were|was|the):?\s+)"
    r"(?P<items>[^,?.:;]{2,60}(?:,\s+(?!and\b|or\b)[^,?.:;]{2,60})+,?\s+(?:and|or)\s+[^,?.:;]{2,60})"
    r"[?.!]*$"
)
_IMPERATIVE = re.compile(r"\W*(?:please\s+)?(?:list|name|enumerate|give)\b", re.IGNORECASE)
_THE = re.compile(r"(?:the|all|an?)\s", re.IGNORECASE)
_ITEM = re.compile(r",\s+(?:(?:and|or)\s+)?|\s+(?:and|or)\s+")
_LOOSE_END = re.compile(r",?\s+(?:and|or|in|of|for|by)$")
_IT = re.compile(r"\b(?:it|its)\b(?!['’])", re.IGNORECASE)
_THING = re.compile(
    r"\b(?:the\s+)?(?:[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*|"
    r"(?<=the )(?:(?!in\b|on\b|at\b|by\b|for\b|with\b|from\b|to\b|the\b)[\w'’-]++\s?){1,4})$"
)
# A part that says "he" is about someone whom only the whole question names.
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|them|his|its|their)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One question to search. An answer to it must speak of one of `names`, where it has any,
    and touch on `topic`.
    """

    question: str
    names: tuple[str, ...] = ()
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """`independent` parts are asked and answered each for itself; the others only lead to the
    answer of the whole.
    """

    parts: tuple[Part, ...] = ()
    independent: bool = False


def split(question: str) -> Split:
    """The parts of a question; none of a simple one."""
    question = " ".join(question[:LONGEST].split())
    several = _several(question)
    if several is not None:
        return several
    compared = comparison(question)
    if compared is not None:
        parts = (Part(asked, (thing.name,)) for thing, asked in compared.questions())
        return Split(tuple(parts)[:MOST_PARTS])
    for listed in (changed(question), list(_listed(question))):
        if listed:
            return Split(tuple(map(Part, listed[:MOST_PARTS])), independent=True)
    if told := history(question):
        return Split(tuple(map(Part, told)), independent=True)
    return Split(tuple(map(Part, _worth_asking(_clauses(question), question))))


def _several(question: str) -> Split | None:
    """Questions that stand side by side: two sentences, or joined by "and"."""
    sentences = _STATEMENT.split(question)
    asked = [s for s in sentences if s.rstrip().endswith(("?", "\uff1f"))] or sentences
    pieces = [piece for sentence in asked for piece in _pieces(sentence)]
    if len(pieces) < 2 and len(sentences) < 2:
        return None
    # "Compare what each says and when": a piece that asks nothing is part of another.
    if not all(map(_ASKS.match, pieces)):
        return None if len(sentences) < 2 else Split(_parts(pieces, question))
    named = _named(pieces)
    kept = _parts(named, question)
    return Split(kept, independent=pieces == named and len(kept) == len(pieces)) if kept else None


def _named(pieces: list[str]) -> list[str]:
    """With "it" of a later piece made the thing at the end of the first: mostly that is meant."""
    thing = _THING.search(pieces[0])
    if thing is None:
        return pieces
    it, its = thing[0], f"{thing[0]}'s"
    named = (_IT.sub(lambda found: its if len(found[0]) == 3 else it, p) for p in pieces[1:])
    return [pieces[0], *named]


def _pieces(sentence: str) -> list[str]:
    listed = _COMMA.split(sentence.strip(" ,;"))
    if len(listed) > 2 and all(map(_WHOLE.match, listed)):
        return listed
    return [piece for found in _SEVERAL.split(sentence) if (piece := found.strip(" ,;"))]


def _parts(pieces: list[str], question: str) -> tuple[Part, ...]:
    return tuple(Part(as_question(p)) for p in _worth_asking(pieces, question, least=1))


def _listed(question: str) -> Iterator[str]:
    """One question for each of three things or more that are named side by side at the end."""
    found = _ITEMS.match(question)
    if found is not None:
        items = _ITEM.split(found["items"])
        if any(map(_ASKS.match, items[1:])):
            return
        for item in items:
            if item := item.strip():
                head = found["head"]
                if _IMPERATIVE.match(head):
                    yield as_question(f"What are {item if _THE.match(item) else f'the {item}'}")
                else:
                    yield as_question(
                        f"{_ARTICLE.sub('', head) if _THE.match(item) else head}{item}"
                    )


def _clauses(question: str) -> Iterator[str]:
    """What relative clauses say, each asked of the noun that it belongs to."""
    before, *rest = _CLAUSE.split(question.rstrip("?! \uff01\uff1f"))
    yield before
    for joint, clause in zip(rest[::2], rest[1::2], strict=True):
        noun = _NOUN.search(before)
        if " " in joint:  # "of which heir": what is asked stands here, not in the beginning
            yield as_question(f"Which {clause}")
        elif noun is None or _ASKS.match(noun[1]):
            yield as_question(clause)
        else:
            yield as_question(f"Which {noun[1]} {'whose ' * (joint == 'whose')}{clause}")
        before = clause


def _worth_asking(
    parts: list[str] | Iterator[str], question: str, least: int = _LEAST_WORDS
) -> list[str]:
    whole = set(terms(question))
    stripped = (_LOOSE_END.sub("", part.strip(" ,")) for part in parts)
    return [
        part
        for part in dict.fromkeys(stripped)
        if len(terms(part)) >= least and set(terms(part)) != whole and not _PRONOUN.search(part)
    ][:MOST_PARTS]


def as_question(text: str) -> str:
    text = text.strip(" ,;").rstrip("?.!")
    return f"{text[:1].upper()}{text[1:]}?"


def follow(question: str, name: str, said: str) -> str | None:
    """The question asked of a name that was met: what was said already gives way to the name.
    None if the question has the name, or the name is what was asked for.

    "In which town was the engineer who designed the bridge born?" and "The bridge was
    designed by Anna Berg." make "In which town was Anna Berg born?"
    """
    named, told = set(terms(name)), set(terms(said))
    asked = list(term_spans(question[:LONGEST]))
    if not named or named <= {term for _, _, found in asked for term in found}:
        return None
    runs: list[list[tuple[int, int]]] = [[]]
    for start, end, found in asked:
        if told.issuperset(found):
            runs[-1].append((start, end))
        elif runs[-1]:
            runs.append([])
    longest = max(runs, key=len)
    if len(longest) == len(asked):
        return None
    if len(longest) < 2:
        return f"{name}: {question}" if len(asked) >= _MANY_WORDS else None
    before = _ARTICLE.sub("", question[: longest[0][0]])
    if _IS_ASKED.fullmatch(before):
        return None
    behind = question[longest[-1][1] :]
    if behind.strip(" ?.!") and not terms(behind):  # "… and how long is it?"
        return None
    return f"{before}{name}{behind}"


_MANY_WORDS = 8
"""Of a question that has more than one step, by its length."""
_IS_ASKED = re.compile(
    r"\W*(?:who|what|which)(?:\s+(?:is|are|was|were|has|had))?\s*", re.IGNORECASE
)


def topic_of(question: str) -> str | None:
    """What a question asks of at large: a few words that are no question, or all that is known."""
    asked = _ABOUT.fullmatch(question.strip())
    if asked is not None:
        return asked[1]
    few = len(question.split()) <= _TOPIC_WORDS and not question.rstrip().endswith("?")
    return question.strip() if few and not _ASKS.match(question) and terms(question) else None


_ABOUT = re.compile(
    r"(?:what is known of|tell me (?:all |everything )?about|what (?:is|are)|who (?:is|are|was)|"
    r"wer (?:ist|war)|was (?:ist|sind)|qui (?:est|était)|qu['’]est-ce que?|quién (?:es|fue)|"
    r"qué (?:es|son)|describe|explain)\s+(?:the\s+|an?\s+)?([^?]{2,40}?)\s*[?.!]*",
    re.IGNORECASE,
)
_TOPIC_WORDS = 3


_ARTICLE = re.compile(r"\b(?:the|an?|his|her|its|their|this|that)\s+$", re.IGNORECASE)


def followed_name(question: str, lead: str) -> str:
    """The words that `follow` put into a question."""
    old, new = question.split(), lead.split()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return " ".join(new).strip(" ,.;:?")
