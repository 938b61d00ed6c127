"""What is said to the program and not asked of the documents: small talk, what was asked before,
and what the collection holds. Whole utterances only, so that no question of the documents is taken
for one.
"""

# ruff: noqa: SIM905

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from shlex import quote

from state.wording import many

FEW_WORDS = 6
MOST_NAMED = 12
"""Documents that are named where it is asked what the collection holds."""
NAME_CHARACTERS = 100

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
_RECALLING = frozenset(
    "and so what did have i just ask asked you at was my the question"
    " first last before earlier previous".split()
)

_OURS = r"(?:this|the|your|my)"
_ASKS_HOLDINGS = re.compile(
    r"(?:and |so |ok )?(?:"
    r"(?:what|which|how many) (?:documents|files) (?:"
    r"do you (?:have|know|hold)|have you (?:got|read)|can you (?:see|read|search)|are there"
    rf"|are (?:in|part of) {_OURS} collection|does {_OURS} collection (?:have|hold|contain))"
    r"|what(?: is|'s|s) (?:in )?(?:this|your|my) collection(?: about)?"
    r"|what does (?:this|your|my) collection (?:have|hold|contain|cover)"
    r"|what are (?:these|your|my) (?:documents|files)(?: about)?"
    r"|what do (?:these|your|my) (?:documents|files) (?:hold|contain|cover)"
    r"|what do you (?:know|have)|what can i ask(?: you)?(?: about)?"
    r"|(?:list|show)(?: me)?(?: all)? (?:the|these|your|my) documents"
    r")(?: here| now| then)?"
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


def asks_about_thread(text: str) -> str | None:
    """Which question of its thread the utterance asks for: "first", "last", or None of them."""
    said = _plain(text)
    words = said.split()
    asks = "what" in words and (("i" in words and "ask" in said) or words[-1] == "question")
    if not asks or not _RECALLING.issuperset(words):
        return None
    return "first" if "first" in words else "last"


def asks_what_is_held(text: str) -> bool:
    """Whether the utterance asks what the collection holds."""
    return _ASKS_HOLDINGS.fullmatch(_plain(text)) is not None


def is_small_talk(text: str) -> bool:
    known = asks_about_thread(text) is not None or asks_what_is_held(text)
    return known or small_talk(text) is not None


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").strip(" ?!.").split())


def recalled(which: str, questions: Iterable[str]) -> str:
    """The reply to a question about the thread, whose questions come nearest to `which` first."""
    found = next((question for question in questions if not is_small_talk(question)), None)
    if found is None:
        return "Nothing was asked on this thread before."
    return f"You asked {which}: \u201c{found}\u201d"


def holdings(name: str, count: int, named: Sequence[str], files: str | None) -> str:
    """The reply to what the collection `name` holds: `count` documents, those that match the glob
    `files` where there is one. `named` are the first of them; MOST_NAMED are told.
    """
    matching = f" like {files}" if files is not None else ""
    lines = [f"- {_on_a_line(each)}" for each in named[:MOST_NAMED]]
    more = count - len(lines)
    if more:
        lines.append(f"- and {more:,} more")
    said = f"{name} holds {many(count, 'document')}{matching}:"
    return "\n".join(
        (said, "", *lines, "", f"Listed in full by `crag collections show {quote(name)}`.")
    )


def _on_a_line(name: str) -> str:
    line = " ".join(name.split()).encode(errors="replace").decode()
    return line if len(line) <= NAME_CHARACTERS else f"{line[: NAME_CHARACTERS - 1]}…"
