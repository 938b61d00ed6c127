"""The markers `[1]` of a draft, and every other shape in which a model invents references."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KINDS = r"(?:source|passage|document|doc|ref|reference|citation|chunk|excerpt|context|note)s?"
_LIST = r"\d{1,4}(?:\s*(?:,|;|and|&|to|-|–)\s*#?\d{1,4}){0,15}"
_MARKER = re.compile(
    r"[ \t]*(?:"
    # [1] [1, 2] [1-3] [^1] but no link text: [1](address)
    rf"\[\^?\s*(?P<plain>{_LIST})\s*\](?!\()"
    rf"|【\s*(?P<wide>{_LIST})[^】\n]{{0,80}}】"
    # (source 3), [Passage 2 and 4], <cite>3</cite>
    rf"|[(\[](?:see\s+|cf\.?\s+)?{_KINDS}\.?\s*:?\s*#?(?P<named>{_LIST})[)\]]"
    r"|<(?:cite|ref|sup|source)\b[^<>\n]{0,80}>\s*\[?(?P<tag>\d{1,4})\]?\s*</(?:cite|ref|sup"
    r"|source)>"
    # Shapes that name nothing that was given.
    r"|\[\^?\d{1,4}[a-z]{1,2}\]|【[^】\n]{0,80}】"
    rf"|[(\[]{_KINDS}\s*[?:]?\s*[)\]]|\[(?:citation needed|cite|n|x|\?+)\]"
    r"|</?(?:cite|ref|sup|source)\b[^<>\n]{0,80}>"
    r"|\(unverified\)"  # the program's own mark, read in an earlier answer
    r")",
    re.IGNORECASE,
)
# In code, brackets are code. An unclosed fence runs to the end.
_CODE = re.compile(
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})(?:.|\n)*?(?:^[ \t]{0,3}(?P=fence)|\Z)"
    r"|`[^`\n]{1,300}`",
    re.MULTILINE,
)


def marker_spans(text: str) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Each marker or pseudo-marker with the space before it, and the numbers that it names."""
    code = [match.span() for match in _CODE.finditer(text)]
    inside = 0
    for match in _MARKER.finditer(text):
        while inside < len(code) and code[inside][1] <= match.start():
            inside += 1
        if inside < len(code) and code[inside][0] <= match.start():
            continue
        group = next((group for group in match.groups() if group), "")
        yield match.start(), match.end(), tuple(dict.fromkeys(_numbers(group)))


def _numbers(group: str) -> list[int]:
    found: list[int] = []
    for piece in re.split(r",|;|&|and", group):
        ends = [int(number) for number in re.findall(r"\d{1,4}", piece)]
        if len(ends) == 2 and 0 <= ends[1] - ends[0] <= 15:
            found.extend(range(ends[0], ends[1] + 1))
        else:
            found.extend(ends)
    return found
