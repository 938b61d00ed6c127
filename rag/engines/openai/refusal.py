"""Tells a refusal in words: a text that says nothing but that the documents hold no answer."""

from __future__ import annotations

import re

_DOCUMENTS = r"(?:do[ck]ument\w*|context|passages?|sources?|excerpts?)"
_SAY = "answer|say|contain|hold|state|mention|provide|include|give|specify"
_BEGINS = re.compile(
    r"\W*(?:sorry\W+|unfortunately\W+)?(?:"
    r"i (?:can(?:not|['’]t)|could(?: not|n['’]t)|am unable to|do(?: not|n['’]t))"
    r" (?:answer|find|know|have)\b"
    rf"|(?:the |these |given |provided |numbered )*{_DOCUMENTS} "
    rf"(?:do(?:es)?(?: not|n['’]t) (?:{_SAY})\b|(?:{_SAY})s? (?:no|nothing)\b)"
    r"|die dokumente (?:\w+ ){1,2}(?:nichts?|keine?)\b"
    r"|les documents n(?:e\b|['’]))",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\W*(?:(?:it|this|that)(?: is|['’]s) )?not"
    r" (?:stated|said|given|mentioned|specified|provided)\W*"
    # There is nothing about that in the documents.
    r"|\W*(?:[\w'’]+\s+){0,3}(?:no|not|nothing|nichts?|keine?)\b[^,.:;!?\n]{0,80}"
    rf"\b(?:in|from|by)\s+(?:\w+\s+){{0,3}}{_DOCUMENTS}\W*",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether the text begins as a refusal does, or is one. With a quote it may answer all the
    same: "The documents do not say when, only that a lock is stale."
    """
    return bool(_BEGINS.match(text) or _WHOLE.fullmatch(text))
