"""What is said to the program and not asked of the documents: small talk, and what the collection
holds. Whole utterances only, so that no question of the documents is taken for one.
"""

from __future__ import annotations

import re
from shlex import quote

from state.wording import many

FEW_WORDS = 6

# The strongest word decides, in this order: "ok thanks" thanks, "thanks, bye" leaves.
_REPLIES = {
    "Goodbye.": "bye goodbye",
    "You are welcome.": "thanks thank thx cheers",
    "Hello. What would you like to know from the documents?": "hi hello hey morning evening",
    "All right.": "ok okay alright great good perfect nice understood got yes no that's",
}
_BETWEEN = "you very much so that is all a lot again for now there then it"
_SOCIAL = {word: reply for reply, words in _REPLIES.items() for word in words.split()}
_FILLING = frozenset(_BETWEEN.split())
_ABOUT_US = "I look for answers in your documents, and quote the places that hold them."
_WHOLE = {
    "how are you": "All is well. What would you like to know from the documents?",
    "who are you": _ABOUT_US,
    "what are you": _ABOUT_US,
    "what can you do": _ABOUT_US,
}
_ASKS_HOLDINGS = re.compile(
    r"(?:what|which|how many) (?:documents|files) (?:do you have|are there)(?: here)?"
    r"|what(?: is|'s) (?:in )?(?:this|your|my) collection(?: about)?"
    r"|(?:list|show)(?: me)?(?: all)? (?:the|these|your|my) documents"
)


def small_talk(text: str) -> str | None:
    """The reply to a greeting, thanks, a goodbye or an assent; None to anything else."""
    said = [word for each in _plain(text).split() if (word := each.strip(",;:.!"))]
    if not said or len(said) > FEW_WORDS:
        return None
    whole = _WHOLE.get(" ".join(said))
    if whole is not None:
        return whole
    if "?" in text or said[0] not in _SOCIAL or not _FILLING.union(_SOCIAL).issuperset(said):
        return None
    return next(reply for reply in _REPLIES if reply in {_SOCIAL.get(word) for word in said})


def asks_holdings(text: str) -> bool:
    """Whether the utterance asks what the collection holds."""
    return _ASKS_HOLDINGS.fullmatch(_plain(text)) is not None


def is_small_talk(text: str) -> bool:
    return asks_holdings(text) or small_talk(text) is not None


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").strip(" ?!.").split())


def holdings_reply(name: str, count: int, files: str | None) -> str:
    """The reply to what the collection `name` holds: `count` documents, those that match the glob
    `files` where there is one.
    """
    matching = f" like {files}" if files is not None else ""
    listed = f"`crag collections show {quote(name)}` lists all"
    return f"{name} holds {many(count, 'document')}{matching}; {listed}."
