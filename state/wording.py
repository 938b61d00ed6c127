"""Counts, places, hints and URLs as a person reads them; text that can be written, or asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from state.errors import UsageError

MOST_CHARACTERS = 20_000
"""Characters of a question."""
LONGEST_QUESTION = 200
"""Characters of a question where it is repeated."""
_FEW = 5
_ANCHOR_WIDTH = 60
_USER = re.compile(r"(\w://)[^\s/@]*(?:@[^\s/@]*)*@")
_HOST = re.compile(r"(?:\[[^\[\]]*\]|[^:\[\]]*)(?::\d{0,5})?")
_PARAMETER = re.compile(
    r"([?&;\s](?:[\w-]*(?:key|token|secret|passw(?:or)?d|pwd)[\w-]*)=)[^\s&;#]+", re.IGNORECASE
)


def without_surrogates(text: str) -> str:
    """`text` without lone surrogates, which JSON can name and no file or request can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def storable(text: str) -> str:
    """`text` as a column of either database accepts it."""
    return without_surrogates(text).replace("\0", " ")


def plural(count: int, noun: str) -> str:
    """The noun alone, singular or plural as the count demands."""
    return noun if count == 1 else f"{noun}s"


def many(count: int, noun: str) -> str:
    return f"{count:,} {plural(count, noun)}"


def listed(words: Sequence[str], most: int) -> str:
    """The first `most` of the words in a row, and how many more there are."""
    rest = len(words) - most
    return ", ".join(words[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def shorten(text: str, width: int) -> str:
    """`text` on one line, cut at a word with an ellipsis where it is longer than `width`."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    head = line[: width - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[width // 2 :] else head) + "…"


def did_you_mean(name: str, names: Iterable[str], otherwise: str | None = None) -> str:
    """A hint at the nearest of `names`; if none is near, `otherwise` or the first few names."""
    known = list(names)
    near = get_close_matches(name, known, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"There is: {listed(known, _FEW)}." if otherwise is None else otherwise


def written_place(item: Mapping[str, Any]) -> str:
    """The place of a citation or a chunk on one line, whatever its source and headings are called,
    as in "guide.pdf p. 4", "deck.pptx slide 3", "notes.md:12-14" or "notes.md:12"; lines count
    from 1.
    """
    source, anchor = " ".join(item["source"].split()), item.get("anchor")
    start, end = item["start_line"], item["end_line"]
    if anchor is not None and anchor != f"line {start}":
        return f"{source} {shorten(anchor, _ANCHOR_WIDTH)}"
    if start is None:
        return source
    return f"{source}:{start}" if end in (None, start) else f"{source}:{start}-{end}"


def checked_question(text: str) -> str:
    """The question without the whitespace around it.

    Raises:
        UsageError: it holds no word, or more characters than a question may have.
    """
    text = text.strip().strip("\ufeff")
    if not any(character.isalnum() for character in text):
        what = "holds no word" if text else "is empty"
        raise UsageError(f"The question {what}.", "Type one, or pipe it in with '-'.")
    if len(text) > MOST_CHARACTERS:
        raise UsageError(
            f"The question is too long: {MOST_CHARACTERS:,} characters are the most.",
            "Ingest long text as a document and ask about it.",
        )
    return text


def redact_urls(text: str) -> str:
    """`text` with user names and passwords of URLs, and parameters that hold a key, as `***`."""
    return _PARAMETER.sub(r"\1***", _USER.sub(r"\1***@", text))


def is_parsable(url: str) -> bool:
    """Whether a URL can be split into a host (for Postgres several) with a port. Of a password with
    an unescaped `/` a part would be taken for the port, and shown.
    """
    try:
        hosts = urlsplit(url).netloc.rpartition("@")[2].split(",")
    except ValueError:
        return False
    return url.isprintable() and " " not in url and all(map(_HOST.fullmatch, hosts))
