"""Prose as it is shown: its wrapped lines joined, without what only its format reads."""

from __future__ import annotations

import re
from html import unescape

from rag.text.line_marks import FENCE

_FENCES = re.compile(rf"^{FENCE.pattern}.*", re.MULTILINE)
_NOTES = re.compile(  # one or several in a row, no part of a link or a name (`reg[1]`)
    r"(?<![\w\]])(?:\[\d{1,3}\])+(?![\[(:])"
)
_QUOTE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
"""Of the lines of a quotation; a paragraph in it begins behind those of its first line."""
_BARE = (
    "a|abbr|b|blockquote|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|i|ins|kbd|li|ol|p|pre"
    "|samp|small|span|strong|summary|td|th|tr|tt|u|ul"
)
_GIVEN = r"""(?:\s+[\w:@-]{1,60}=(?:"[^"]{0,500}"|'[^']{0,500}'|\{[^{}]{0,300}\}))+"""
_TAG = rf"</[A-Za-z][\w.-]{{0,40}}>|(?<!\w)<(?:{_BARE})\s*/?>|<[A-Za-z][\w.-]{{0,40}}{_GIVEN}\s*/?>"
"""A tag that closes, one with attributes, or one of a known name: no placeholder like <name> and no
type like List<T>."""
_GIVEN_TO = r"\{[ \t]?(?:[#.][A-Za-z]|:[ \t])[^{}\n]{0,80}\}"
_ATTRIBUTES = rf"(?<=[)\]])[ \t]?{_GIVEN_TO}|[ \t]?{_GIVEN_TO}(?=[ \t]?$)"
"""What gives a link, or a heading or paragraph before it, a name or a class."""
_UNSAID = re.compile(
    r"<!--.{0,2000}?-->|\{\{[<%].{0,500}?[%>]\}\}|\{%.{0,500}?%\}|!?\[\s*\]\([^()\s]*\s*\)"
    rf"|{_ATTRIBUTES}|{_TAG}|\\(?=[#\[\]<>~|!-]|$)"
    r"|(?<=\S)\[\^[\w-]{1,30}\](?!:)"
    r"|!\[\[[^\[\]\n]{1,300}\]\]"
    r"|(?:^[ \t]*|(?<=[-*+.)] ))#{2,6}[ \t]+(?=\S)|:(?:material|octicons|fontawesome)-[\w-]{1,60}:",
    re.DOTALL | re.MULTILINE,
)
"""A comment, a site generator's mark, a link or image without words, attributes, a tag; what
escapes a sign or breaks a line; a footnote's mark; of a wiki what is shown in place of a note; the
mark of a heading set in below an item or a note; an icon.
"""
OPENS_TAG = (
    r"\{(?:%|\{[<%])\s*(?!(?:include|extends|block|import|load|highlight|ref|relref)\b)[\w-]{1,40}"
    r'\s+"(?=[^"/.\n]{1,80}")'
)
CLOSES_TAG = r'"[^{}%\n]{0,200}(?:%|[%>]\})\}'
"""What stands around the words of a site generator's mark that is given words, and no file, such as
`{% channel "people-ops" %}`.
"""
_TAG_OF_WORDS = re.compile(rf'{OPENS_TAG}([^"]+){CLOSES_TAG}')
_MARKED = re.compile(
    r"""(?P<code>`[^`]*`)
      | (?<![\w\]])!?\[(?P<link>(?:`[^`]*`|\[[^\[\]]{0,200}\]|[^\[\]`]){1,300})\]
        (?:\((?:[^()\s]|\([^()\s]{0,200}\)){0,1000}(?:\s+(?:"[^"]{0,300}"|'[^']{0,300}'))?\)
          |\[[^\[\]]{0,100}\])
      | (?<![\w\]])\[\[(?=\S)(?P<note>[^\[\]|\n]{1,200})(?:\|(?P<alias>[^\[\]\n]{1,200}))?\]\]
      | (?<!\w)\*\*(?=\S)(?P<strong>(?:`[^`]*`|[^*`]){1,1000}?)(?<=\S)\*\*(?!\w)
      | (?<![\w*\\])\*(?=[^\s*])(?P<stressed>(?:`[^`]*`|[^*`]){1,300}?)(?<=[^\s*\\])\*(?![\w*])
      | (?<![\w\\])_(?=[^\s_])(?P<slanted>(?:`[^`]*`|[^_`]){1,300}?)(?<=[^\s_\\])_(?!\w)
      | <(?:mailto:|tel:|(?=https?://))(?P<address>[^<>\s]{1,500})>
      | <br\s*/?>""",
    re.VERBOSE | re.IGNORECASE,
)
_ROLE = re.compile(r"\{[a-z][a-z:+-]{1,30}\}\Z")
"""A role of MyST, before the text in backticks that it is for."""
_DEFINED = re.compile(r"(?<=[^\s.:?!])\s*\n[ \t]*:[ \t]+")
_DEFINES = re.compile(r"(?:^|\n)[ \t]*:[ \t]+")
"""The marks of definitions, behind a term and behind another definition: read as ":" and ";"."""
_ESCAPED = re.compile(r"(`[^`]*`)|\\(?=[*_])")
_ROUND = str.maketrans("[]", "()")


def with_words_of_tags(text: str) -> str:
    """The text with the words that a site generator is to show in place of the mark around them."""
    return _TAG_OF_WORDS.sub(r"\1", text)


def as_prose(text: str) -> str:
    """A paragraph on one line, without the marks of quoted lines and of fences, comments and what
    only a site's generator reads, its links as their words, nothing in bold or italics; its own
    note signs, which would pass for markers, in round brackets. What stands in backticks or in a
    fence keeps them all.
    """
    text = _DEFINES.sub("\n", _DEFINED.sub(_defined, text)).lstrip("\n")
    first, _, further = text.partition("\n")
    pieces = f"{first}\n{_QUOTE_MARKS.sub('', further)}".split("`")
    pieces[:-1:2] = [_ROLE.sub("", piece) for piece in pieces[:-1:2]]
    pieces[::2] = map(_without_marks, pieces[::2])
    shown = "`".join(pieces)
    for _ in range(2):  # a link may be in bold, or have an image for words
        shown = _MARKED.sub(_words, shown)
    return one_line(_FENCES.sub("", _ESCAPED.sub(r"\1", shown)))


def _without_marks(piece: str) -> str:
    said = unescape(_UNSAID.sub("", with_words_of_tags(piece)))
    return _NOTES.sub(lambda found: found[0].translate(_ROUND), said)


def _defined(found: re.Match[str]) -> str:
    return "; " if "\n" in found.string[: found.start()] else ": "


def _words(found: re.Match[str]) -> str:
    note = found["alias"] or (found["note"] or "").strip("#").replace("#", " > ")
    stressed = found["strong"] or found["stressed"] or found["slanted"]
    return found["code"] or found["link"] or note or stressed or found["address"] or " "


def one_line(text: str) -> str:
    return " ".join(text.split())
