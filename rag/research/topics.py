"""Questions about the course of time: a history, and a change between two dates."""

from __future__ import annotations

import re

from rag.research.comparisons import about

_YEAR = r"(?:\w+ )?(?:1[0-9]{3}|20[0-9]{2})"
_CHANGED = re.compile(
    rf"\bhow (?:did|has|have|had) (?P<what>.{{3,100}}?) "
    rf"(?:change|evolve|develop|differ|grow|fall|rise)\w*"
    rf"\s.*?\b(?:between|from|in) (?P<one>{_YEAR}) (?:and|to|until) (?P<other>{_YEAR})",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(?:timeline|history|chronolog\w+|story|evolution|development) (?:of|for) "
    r"(?P<what>[^,;?]{3,80})"
    r"|\bhow (?:did|has|have) (?P<that>.{3,80}?) (?:change|evolve|develop)\w*"
    r"(?: over (?:time|the years))?\W*$",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:timeline|history|chronolog\w+|over (?:time|the years)|sequence of|evolution|evolve\w*|"
    r"in (?:order|sequence)|when did each)\b",
    re.IGNORECASE,
)


def changed(question: str) -> list[str]:
    """The state of a thing at each of the two dates between which it changed."""
    found = _CHANGED.search(question)
    if found is None:
        return []
    what = found["what"].strip()
    return [f"What is said of {what} in {found[year]}?" for year in ("one", "other")]


def history(question: str) -> list[str]:
    """What to ask for a course of events: beginnings, ends, and what lies between."""
    found = _HISTORY.search(question)
    if found is None:
        return []
    what = (found["what"] or found["that"]).strip(" .!")
    return [
        about(f"the history of {what}"),
        f"When was {what} founded, built or opened?",
        f"What happened to {what} in later years?",
        f"When was {what} closed or ended?",
    ]


def asks_for_time(question: str) -> bool:
    return _TIME.search(question) is not None
