"""Subtitles and the transcripts of calls (SubRip, WebVTT): what is said, without the counts and
times of its cues, in stretches that are named by when they begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from rag.documents.encoding import read_decoded
from rag.documents.stream import Part, Reading
from rag.text.wrapping import FIELD

_TIMES = re.compile(r"\s*((?:\d+:)?\d{1,2}:\d\d)[.,]\d{1,3}\s+-->")
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,40})?\s+([^<>]{1,80})>")
_TAG = re.compile(r"</?[a-z\d][^<>]{0,80}>|\{\\[^{}]{0,80}\}", re.IGNORECASE)
_END = re.compile(r"[.?!\u2026\u3002\uff01\uff1f][\"'\u201d\u2019)\]]*\s+")
_ENOUGH, _MOST = 300, 400
"""A stretch ends with a sentence after so many characters, and with any line after so many: about
what a snippet shows, which then begins within half a minute of the time that names it.
"""


def read(reading: Reading) -> Iterator[Part]:
    """One piece a stretch; where names stand before words, a turn of a speaker is a paragraph."""
    begins, said = "", ""
    for time, words in _cues(reading):
        joined = said + ("\n\n" if FIELD.match(words) else " ") * bool(said) + words
        cut = _END.search(joined, len(said) - 2) if len(said) > _ENOUGH else None
        if cut or len(said) > _MOST:
            end = cut.end() if cut else len(said)
            yield Part(joined[:end].rstrip() + "\n\n", anchor=begins)
            begins, joined = time, joined[end:].lstrip()
        begins = begins if said else time
        said = joined
    if said:
        yield Part(said + "\n", anchor=begins)


def _cues(reading: Reading) -> Iterator[tuple[str, str]]:
    """Each spoken line with the time at which its cue begins; a line that stays while the next one
    appears comes once.
    """
    time = last = voice = ""
    for line in read_decoded(reading).text.split("\n"):
        if found := _TIMES.match(line):
            time = found[1]
        elif not line:
            time = ""
        elif time:
            spoken = _VOICE.search(line)
            words = " ".join(unescape(_TAG.sub("", _VOICE.sub("", line))).split())
            if words and words != last:
                last = words
                named = f"{spoken[1]}: " if spoken and spoken[1] != voice else ""
                voice = spoken[1] if spoken else voice
                yield time, named + words
