"""The note signs of a source itself: [2], [citation needed]."""

from __future__ import annotations

import re

_NOTE = re.compile(
    r"(?<!`)\[(?:\d{1,3}|[a-z]|nb \d+|note \d+|citation needed|clarification needed|who\?|when\?"
    r"|where\?|which\?|why\?|"
    r"by whom\?|according to whom\?|dead link|dubious[^\[\]]{0,20}|update|sic|page needed"
    r"|original research\?)\]",
    re.IGNORECASE,
)


def without_notes(text: str) -> str:
    """Without a source's own note signs ([2], [citation needed]): a reader would take them
    for markers.
    """
    return _NOTE.sub("", text)
