"""Text that says what a thing is: "A trait defines ...", "_Ownership_ is a set of rules ..."."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A line that goes on in the next one begins nothing there.
_WRAPPED = re.compile(r"(?<=[\w,;’'`*_)])[ \t]*\n(?:>[ \t]?)?[ \t]*(?=[a-z`*_(])")
_MOST_WORDS = 3
_MOST_CHARACTERS = 200
_THING = rf"(?P<thing>[^\W_][\w'’.-]*(?:\s+[^\W_][\w'’.-]*){{0,{_MOST_WORDS - 1}}})"
_ASKED = (
    re.compile(
        rf"\W*what(?:['’]s|\s+(?:is|are|was|were))\s+(?:an?\s+|the\s+)?{_THING}\W*$", re.IGNORECASE
    ),
    re.compile(
        rf"\W*what\s+(?:does|do|did)\s+(?:an?\s+|the\s+)?{_THING}\s+(?:mean|stand\s+for)\W*$",
        re.IGNORECASE,
    ),
    re.compile(rf"\W*define\s+(?:an?\s+|the\s+)?{_THING}\W*$", re.IGNORECASE),
)
# "What is the purpose of locks?" and "What is it?" ask for no definition of anything.
_RELATES = re.compile(
    r"\b(?:of|in|on|at|for|to|from|with|between|and|or|by|about"
    r"|it|its|this|that|these|those|he|she|they|their|i|my|you|your|we|our|there|here)\b",
    re.IGNORECASE,
)
# Bounded, so that no text makes a search long.
_MARKS = r"[*_`\"“”'‘’\[\]]{0,4}"
_LINE = r"(?:^|\n)\W{0,8}"
_BEGINS = rf"(?:{_LINE}|[.!?:;>(—–]\s{{0,2}})(?:an?\s+|the\s+|\w+['’]s\s+)?{_MARKS}"
_BRACKETS = r"(?:\s*\([^()\n]{0,60}\)|,[^,.\n]{1,40}(?=,))?"
_IS = (
    r"(?:(?:is|are|was|were)\s+(?:(?:an?|the|one|any|what|when|where|how|simply|just|used|similar"
    r"|like)\b|\w+['’]s\s)"
    r"|means?\b|refers?\s+to\b|defines?\b|describes?\b|denotes?\b|stands?\s+for\b|represents?\b)"
)
_DOES = (
    r"(?:is|are|was|were|allows?|lets?|ensures?|provides?|consists?\s+of|contains?|gives?|makes?"
    r"|helps?|enables?)\b(?!\s+(?:not|also|still|then|now)\b)"
)
# Not "[trait]: file.html#trait".
_LISTED = r"(?:^|\n)[^\w\[]{0,8}(?:an?\s+|the\s+)?[*_`]{0,4}"
_NAMES = rf"\b(?:called|termed|named|known\s+as)\s+(?:an?\s+|the\s+)?{_MARKS}"
_CALLS = r"\bcalls?\s[^.\n]{1,60}?\s[*_`\"“]{1,2}"
# "called lifetime elision" names no lifetime.
_ENDS = rf"{_MARKS}\s*(?:[.,;:)!?]|$|\s(?:and|or|which|that|in|to|because)\b)"

OUTRIGHT, IN_PASSING = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Definition:
    """What to look for where a thing is asked to be defined."""

    outright: re.Pattern[str]
    in_passing: re.Pattern[str]

    def said_in(self, text: str) -> float:
        """OUTRIGHT where the text says what the thing is, IN_PASSING where it says what it does,
        or 0.
        """
        text = _WRAPPED.sub(" ", text)
        if self.outright.search(text):
            return OUTRIGHT
        return IN_PASSING if self.in_passing.search(text) else 0.0


def definition_asked(question: str) -> Definition | None:
    """None for a question that asks for no definition; of a thing of three words at most."""
    if len(question) > _MOST_CHARACTERS:
        return None
    found = next((match for pattern in _ASKED if (match := pattern.match(question))), None)
    if found is None or _RELATES.search(found["thing"]):
        return None
    thing = r"[\s_*`-]+".join(_inflected(word) for word in found["thing"].split())
    said = rf"{thing}{_MARKS}{_BRACKETS},?\s+"
    listed = rf"{_LISTED}{thing}[*_`]{{0,4}}\s?(?:[:—–]|\n:)\s+(?!\S+\s*$)\S"
    named = rf"(?:{_NAMES}|{_CALLS}){thing}{_ENDS}"
    return Definition(
        re.compile(rf"{_BEGINS}{said}{_IS}|{named}|{listed}", re.IGNORECASE),
        re.compile(rf"{_BEGINS}{said}{_DOES}", re.IGNORECASE),
    )


def _inflected(word: str) -> str:
    """The word, singular or plural."""
    word = word.strip(".'’-").lower()
    forms = {word, f"{word}s", f"{word}es"}
    if word.endswith("y"):
        forms.add(f"{word[:-1]}ies")
    for ending, single in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            forms.add(word.removesuffix(ending) + single)
    return rf"(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True)))})"
