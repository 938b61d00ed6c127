"""Recognizes what is said to the program and not asked of the documents. Only whole utterances
count, so that no question is taken for small talk.
"""

from __future__ import annotations

MAX_WORDS = 6

# The strongest word decides, in this order: "ok thanks" thanks, "thanks, bye" leaves.
_REPLIES = {
    "Goodbye.": "bye goodbye",
    "You are welcome.": "thanks thank thx cheers",
    "Hello. What would you like to know from the documents?": "hi hello hey morning evening",
    "All right.": "ok okay alright great good perfect nice understood got yes no that's",
}
_BETWEEN = "you very much so that is all a lot again for now there then it"
_SOCIAL = {word: reply for reply, words in _REPLIES.items() for word in words.split()}
_KNOWN = frozenset(_BETWEEN.split()).union(_SOCIAL)


def small_talk(text: str) -> str | None:
    """The reply to a greeting, thanks, a goodbye or an assent; None to anything else."""
    plain = text.lower().replace("\u2019", "'")
    said = [word for each in plain.split() if (word := each.strip(",;:.!"))]
    if not said or len(said) > MAX_WORDS or said[0] not in _SOCIAL or not _KNOWN.issuperset(said):
        return None
    return next(reply for reply in _REPLIES if reply in {_SOCIAL.get(word) for word in said})
