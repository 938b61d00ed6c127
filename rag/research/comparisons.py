"""Two things compared in a question, and what is asked of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HELPERS = (
    "Are|Is|Was|Were|Did|Do|Does|Has|Have|Had|Can|Could|Both|Between|What|Which|Who|When|Where|"
    "How|Why|In|Of|To|The|And|Or|Compare|Contrast"
)
_WORD = r"[A-Z0-9(][\w'’.()-]*"
# A capitalised word and those that belong to it: "Song of the South".
_NAME = (
    rf"(?!(?:{_HELPERS})\b){_WORD}"
    rf"(?: (?:(?:of|the|from|for|de|du|von|van|da|di|la|le|v\.|vs\.|&) )*{_WORD})*"
)
_THE = r"(?:[Tt]he |an? )?"
_OR = re.compile(rf"(?P<one>{_NAME}),? or {_THE}(?P<other>{_NAME}(?:, {_NAME})?)")
_AND = re.compile(rf"(?P<one>{_NAME}),? and {_THE}(?P<other>{_NAME})")
_COMPARING = re.compile(
    r"\b(?:compare|compared|comparison|differ|differs|difference|differences|versus|vs|older|"
    r"younger|earlier|later|first|more|larger|smaller|longer|bigger|higher|same|both|than|common)\b",
    re.IGNORECASE,
)
_THING = r"[^,;:?]{2,80}?"
_THINGS = r"[^,;:?]{2,80}?(?:, [^,;:?]{2,80}?){0,4}"
_END = (
    r"(?:[,:;]|\s+(?:in terms of|regarding|with respect to|concerning|as to|when it comes to)\b"
    r"|[?.!]*$)"
)
_BOTH = rf"(?P<one>{_THINGS}),? and (?P<other>{_THING})"
# In words of any case.
_PHRASES = tuple(
    re.compile(f"{pattern}{_END}", re.IGNORECASE)
    for pattern in (
        (
            rf"\b(?:compare|contrast)(?: and contrast)? (?:the [\w ]{{2,40}} of )?"
            rf"(?P<one>{_THINGS}),? (?:and|with|to|against|versus|vs\.?) (?P<other>{_THING})"
        ),
        rf"\b(?:differences?|distinction|comparison) (?:in [\w ]{{2,40}} )?between {_BOTH}",
        (
            rf"\bhow (?:do|does|did|is|are) (?P<one>{_THING}) (?:differ(?:ent)?|compare[ds]?) "
            rf"(?:from|to|with) (?P<other>{_THING})"
        ),
        rf"\bhow (?:do|does|did) {_BOTH} (?:differ|compare)",
        (
            rf"^(?:[\w ,]{{2,40}}? (?:of|between) (?:using )?)?"
            rf"(?P<one>{_THING}) (?:versus|vs\.?) (?P<other>{_THING})"
        ),
        (
            rf"^which (?:is|are|was|were|has|have|had|of|one)\b[^,:?]*[,:] "
            rf"(?P<one>{_THING}),? or (?P<other>{_THING})"
        ),
    )
)
_BEFORE = re.compile(r"\b(?:the|an?)\s+$", re.IGNORECASE)
_MORE = re.compile(r",\s+(?=\S)")
_ARTICLE = re.compile(r"^(?:the|an?|its|their)\s+", re.IGNORECASE)
# A comparative, and the question that settles it for one thing.
_MEASURES = {
    "longer|shorter|longest|shortest": "How long is {}?",
    "larger|bigger|smaller|largest|biggest|smallest": "How large is {}?",
    "higher|taller|lower|highest|tallest": "How high is {}?",
    "deeper|deepest|shallower": "How deep is {}?",
    "wider|broader|narrower": "How wide is {}?",
    "heavier|lighter": "How heavy is {}?",
    "faster|slower|fastest|slowest": "How fast is {}?",
    "cheaper|dearer|expensive|costly": "How much does {} cost?",
    "older|newer|earlier|later": "When was {} built or made?",
}


@dataclass(frozen=True, slots=True)
class Thing:
    """`called` is its name as it stands in the question, with its article."""

    called: str

    @property
    def name(self) -> str:
        return _ARTICLE.sub("", self.called)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of two things or more; `asked` is what is to be known of each, perhaps nothing in
    particular.
    """

    things: tuple[Thing, ...]
    asked: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(thing.name for thing in self.things)

    @property
    def measure(self) -> str | None:
        """The question that settles a comparative, such as "How long is {}?"."""
        words = (re.fullmatch(words, self.asked, re.IGNORECASE) for words in _MEASURES)
        return next((m for m, word in zip(_MEASURES.values(), words, strict=True) if word), None)

    def questions(self) -> Iterator[tuple[Thing, str]]:
        """For each, what it is, and what is asked of it."""
        for thing in self.things:
            yield thing, about(thing.called)
            if self.measure is not None:
                yield thing, self.measure.format(thing.called)
            elif self.asked:
                yield thing, f"{thing.name}: {self.asked}"


def about(name: str) -> str:
    return f"What is known of {name}?"


def comparison(question: str) -> Comparison | None:
    """The two things that a question compares; None if it compares none."""
    found = _OR.search(question)
    if found is None and _COMPARING.search(question):
        found = _AND.search(question)
    if found is None:
        found = next((match for phrase in _PHRASES if (match := phrase.search(question))), None)
    if found is None:
        return None
    called = [*_MORE.split(_called(question, found, "one")), _called(question, found, "other")]
    things = tuple(Thing(thing.strip(" ,.?")) for thing in called)
    names = {thing.name.casefold() for thing in things}
    if len(names) < len(things) or "" in names:
        return None
    return Comparison(things, _asked(question, found))


def asks_for_comparison(question: str) -> bool:
    return _COMPARING.search(question) is not None or comparison(question) is not None


def _called(question: str, found: re.Match[str], part: str) -> str:
    article = _BEFORE.search(question[: found.start(part)])
    return f"{article[0] if article else ''}{found[part]}"


def _asked(question: str, found: re.Match[str]) -> str:
    """What is asked of the two: the question's other words."""
    rest = f"{question[: found.start('one')]} {question[found.end('other') :]}"
    words = re.sub(
        r"\b(?:which|who|what|how|both|and|or|the|are|were|is|was|did|do|does|between|than|has|one|"
        r"compare[ds]?|contrast|comparison|differ|differs|different|differences?|distinction|from|"
        r"with|to|versus|vs|in terms of|regarding|with respect to|concerning|as to|of)\b",
        " ",
        rest,
        flags=re.IGNORECASE,
    )
    return " ".join(re.sub(r"[?,:;.!]", " ", words).split())
