"""The question as it was typed or piped in."""

from __future__ import annotations

import re
import sys

from state.errors import UsageError

MAX_CHARACTERS = 20_000
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[0-Z\\^-~])"
)
"""A terminal's sequences (ECMA-48) that were pasted with the words."""


def read_question(argument: str) -> str:
    """The argument, or all of standard input when it is "-".

    Raises:
        UsageError: there is nothing in it, or more than a question can be.
    """
    return checked_question(sys.stdin.read(MAX_CHARACTERS * 4) if argument == "-" else argument)


def checked_question(text: str) -> str:
    """The question without what surrounds it; raises as `read_question`."""
    text = _ESCAPE.sub("", text).strip().strip("\ufeff")
    if not any(character.isalnum() for character in text):
        what = "holds no word" if text else "is empty"
        raise UsageError(f"The question {what}.", "Type one, or pipe it in with '-'.")
    if len(text) > MAX_CHARACTERS:
        raise UsageError(
            f"The question is too long: {MAX_CHARACTERS:,} characters are the most.",
            "Ingest long text as a document and ask about it.",
        )
    return text
