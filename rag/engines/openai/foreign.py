"""Is a question in another language than the texts that were found for it?

Told without lists of words: of a question's small words nearly all stand in any page or two
of its own language, and of another's hardly any. Of 139 English questions on four collections
one fell below the threshold (three words long), of 32 in ten other languages 29 did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

KNOWN_SHARE = 0.35
FEWEST = 3
_WORD = re.compile(r"[^\W\d_]+")


def is_foreign(question: str, texts: Iterable[str]) -> bool:
    """False where there is too little to tell by: names, in capitals, are no sign."""
    words = [word for word in _WORD.findall(question) if word.islower()]
    if len(words) < FEWEST:
        return False
    found = {word for text in texts for word in _WORD.findall(text.casefold())}
    known = sum(word in found for word in words)
    return bool(found) and known < KNOWN_SHARE * len(words)
