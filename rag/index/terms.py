"""The one tokenizer: lexical search, document frequencies and the grader all see these terms.

A term is a casefolded, accent-folded, stemmed word, without English stop words; what is done for a
question in another language sees them as that language reads them (`language.py`). Scripts
written without spaces give overlapping pairs of characters. An identifier or a number with
inner punctuation (`snake_case`, `v1.2.3`, `E-1042`) is a term as a whole and by its parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.metadata import version

from rag.index.language import ENGLISH, current_language, is_word, lexicon, restem_all, stemmer

TERM_CHARACTERS = 64
"""A longer term (a base64 blob, a hash) is cut to this, in documents and queries alike."""

_SEEN_TEXTS = 1 << 10
_SEEN_WORDS = 1 << 16
_SEEN_CHARACTERS = 256

PUNCTUATION = "._-+#"
"""The ASCII punctuation a term may hold."""

STOP_WORDS = lexicon(ENGLISH)

# Thai, Lao, Myanmar, Khmer, kana, Han, and their supplements: written without spaces.
_UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_ASCII_TOKEN = re.compile(
    r"\b[A-Za-z](?:\+\+|\#)(?![A-Za-z0-9_+#])|[A-Za-z0-9_]+(?:(?:[.'\-]|(?<=\d),(?=\d))[A-Za-z0-9_]+)*"
)
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
_PLAIN_PUNCTUATION = {0x2019: "'", 0x2010: "-", 0x2011: "-"}
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)", re.IGNORECASE)
_GROUPED_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_INNER = re.compile(r"[._\-,]+")
# Compatibility forms may unfold to spaces and brackets: "⑴" is "(1)".
_NO_TERM_CHARACTER = re.compile(r"[^\w.+#\-\x80-\U0010ffff]|\s")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

TERMS_VERSION = f"3/{version('pystemmer')}/{unicodedata.unidata_version}"
"""An index built by another version must be built again: its terms may differ. Count it up with
what changes terms, `lexicons/english.txt` too, and with it the version of a shared store, which a
stemmer of another release leaves alone: the machines of a team would build it again in turn. The
other lexicons change no index.
"""


def terms(text: str) -> list[str]:
    """The terms of `text` in order, with repeats, as they are read in the language in use."""
    return _term_text(text, current_language()).split()


def indexed_text(text: str) -> str:
    """The terms of `text` as every index holds them, in order, a space between two."""
    return _term_text(text, ENGLISH)


def indexed_head(title: str | None, heading: str) -> str:
    return indexed_text(f"{title} {heading}" if title else heading)


@lru_cache(maxsize=_SEEN_TEXTS)
def _term_text(text: str, language: str) -> str:
    # The chunks of a question are ranked, graded and found again by its rewrites.
    # No token holds a space, and most words were seen before: a chunk costs no Python a word.
    return " ".join(filter(None, map(_seen(language).__getitem__, text.split())))


@cache
def _any_token() -> re.Pattern[str]:
    """Compiled for the first word that is no ASCII: that takes longer than most questions."""
    # `\w` leaves out the vowel signs of most Indic scripts and combining accents.
    marks = "".join(
        chr(code)
        for code in range(0x0300, 0x1D00)
        if unicodedata.category(chr(code)) in ("Mn", "Mc")
    )
    return re.compile(
        rf"\b[A-Za-z](?:\+\+|\#)(?![\w+#])|[{_UNSPACED}]+"
        rf"|(?:[^\W{_UNSPACED}]|[{marks}])+"
        rf"(?:(?:[.'\u2019\-\u2010\u2011]|(?<=\d),(?=\d))(?:[^\W{_UNSPACED}]|[{marks}])+)*"
    )


def _word_terms(word: str) -> tuple[str, ...]:
    pattern = _ASCII_TOKEN if word.isascii() else _any_token()
    return tuple(term for token in pattern.findall(word) for term in _token_terms(token))


class _SeenWords(dict[str, str]):
    """The terms of words, joined, as a language reads them; forgets all when it holds too many."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> str:
        found = " ".join(restem_all(_word_terms(word), self._language))
        if len(word) <= _SEEN_CHARACTERS:
            if len(self) >= _SEEN_WORDS:
                self.clear()
            self[word] = found
        return found


@cache
def _seen(language: str) -> _SeenWords:
    return _SeenWords(language)


def term_spans(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """(start, end, terms) of each word of `text` that has terms; offsets in characters."""
    pattern = _ASCII_TOKEN if text.isascii() else _any_token()
    language = current_language()
    for match in pattern.finditer(text):
        if found := restem_all(_token_terms(match.group()), language):
            yield match.start(), match.end(), found


def _token_terms(token: str) -> tuple[str, ...]:
    if _UNSPACED_RUN.fullmatch(token):
        run = fold(token)
        return tuple(run[i : i + 2] for i in range(max(len(run) - 1, 1)))
    token = unicodedata.normalize("NFC", token).translate(_PLAIN_PUNCTUATION)
    if "'" in token:
        first, *rest = token.split("'")
        # What an apostrophe cuts off ('s, 't, 'll) is grammar; O'Brien's second half is not.
        kept = [first, *(part for part in rest if len(part) > 2)]
        return tuple(term for part in kept if part for term in _token_terms(part))
    if token[:1].isdigit():
        token = _plain_number(token)
    pieces = [piece for piece in _INNER.split(token) if piece]
    if not pieces:
        return ()
    if len(pieces) > 1 and all(len(piece) == 1 and piece.isalpha() for piece in pieces):
        pieces = ["".join(pieces)]
        token = pieces[0]
    whole = fold(token)
    found = []
    if len(pieces) > 1 and "," not in whole and _is_identifier(token):
        found.append(whole.strip("._-,")[:TERM_CHARACTERS])
    for piece in pieces:
        parts = CAMEL.split(piece)
        if len(parts) > 1:
            found.append(fold(piece)[:TERM_CHARACTERS])
        if len(parts) == 1 or min(map(len, parts)) > 1:
            found.extend(stem(folded) for part in parts if (folded := fold(part)) not in STOP_WORDS)
    return tuple(filter(None, found))


def _plain_number(token: str) -> str:
    """1,300 as 1300 and 31st as 31; what is no such number as it is."""
    if ordinal := _ORDINAL.fullmatch(token):
        return ordinal.group(1)
    return token.replace(",", "") if _GROUPED_NUMBER.fullmatch(token) else token


def fold(word: str) -> str:
    """Casefolded, compatibility forms unified, accents of Latin, Greek and Cyrillic gone."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    # Compatibility forms have capitals of their own (the mathematical ones).
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed).casefold())
    return _NO_TERM_CHARACTER.sub("", folded)


def _is_identifier(token: str) -> bool:
    return "_" in token or "." in token or any(character.isdigit() for character in token)


def stem(word: str) -> str:
    """Of a folded word, a stop word too."""
    found: str = stemmer(ENGLISH).stemWord(word) if is_word(word) else word
    return found[:TERM_CHARACTERS]
