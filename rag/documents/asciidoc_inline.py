"""AsciiDoc within a paragraph: what is shown of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LONGEST = 20_000
"""A longer paragraph, in characters, stays as it is written."""
_LONGEST_VALUE = 1_000
_NESTING = 5
_GROWTH = 1 << 20
"""How many characters all references to attributes may put in."""

_CHARACTERS = {
    "empty": "", "blank": "", "sp": " ", "nbsp": " ", "zwsp": "", "wj": "", "lt": "<", "gt": ">",
    "amp": "&", "plus": "+", "asterisk": "*", "caret": "^", "tilde": "~", "startsb": "[",
    "endsb": "]", "vbar": "|", "backtick": "`", "backslash": "\\", "apos": "'", "quot": '"',
    "two-colons": "::", "two-semicolons": ";;", "cpp": "C++", "deg": "\u00b0", "lsquo": "\u2018",
    "rsquo": "\u2019", "ldquo": "\u201c", "rdquo": "\u201d",
}  # fmt: skip
"""The attributes that the language itself defines."""

_REFERENCE = re.compile(r"(\\?)\{([A-Za-z0-9_][\w-]{0,80})\}")
_INLINE = re.compile(
    r"""
      \\(?P<kept>[*_`#^~+{<\[]{1,2}|--|\.\.\.|'|(?:https?|link|xref|image):)
    | \+\+\+(?P<passed>[^+]*)\+\+\+
    | \+\+(?P<plain2>[^+]+)\+\+
    | ``(?P<cited>[^\s`](?:[^`]{0,300}?[^\s`])?)\'\'(?!\w)
    | ``(?P<code2>[^`]+)``
    | (?<!\w)`(?P<code>[^`]*)`(?!\w)
    | (?<![\w+])\+(?P<plain>[^\s+](?:[^+]*[^\s+])?)\+(?![\w+])
    | \[\[(?P<book>\[[\w:.-]{1,200}(?:,[^\[\]]{0,300})?\])\]\]
    | \[\[(?P<anchor>[A-Za-z_:][\w:.-]{0,200}(?:,[^\[\]]{0,300})?)\]\]
    | <<(?P<id>[^<>,\n]{1,200})(?:,(?P<named>(?:[^<>]|<[^<>]{0,80}>){0,300}))?>>
    | \(\(\((?:[^()]{0,300})\)\)\)
    | \(\((?P<indexed>[^()]{1,300})\)\)
    | (?<![\w\\])(?P<macro>[a-z][\w+.-]{0,20}):(?P<target>[^\s\[\]<>"]{0,300})
      \[(?P<said>(?:\\.|[^\[\]\\]|\[[^\[\]]{0,200}\]){0,2000})\]
    | <(?P<address>(?:https?|ftp|irc)://[^\s<>]{1,300})>
    | (?:(?<!\w)\[[.\#%][\w.\#%\ -]{1,80}\])?(?:
        \*\*(?P<bold2>[^*]+)\*\*
      | __(?P<slant2>[^_]+)__
      | \#\#(?P<marked2>[^#]+)\#\#
      | (?<![\w*])\*(?P<bold>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])
      | (?<![\w_])_(?P<slant>[^\s_](?:[^_]*[^\s_])?)_(?![\w_])
      | (?<![\w\#&])\#(?P<marked>[^\s#](?:[^#]*[^\s#])?)\#(?![\w#])
      )
    | \^(?P<raised>[^\s^]{1,100})\^
    | ~(?P<lowered>[^\s~]{1,100})~
    | (?<=[ \t])\+(?P<broken>)$
    """,
    re.VERBOSE | re.MULTILINE,
)
_PAGE = re.compile(r"\b[a-z]{3,20}:([\w.-]{1,200})\[(\d+)\]")
"""A page of a manual, whatever a project calls the macro."""
_EMPHASIS = re.compile(r"(?<![\w'\\])'([^\s'](?:[^'\n]*[^\s'])?)'(?![\w'])")
_QUOTES = re.compile(r"(?<![\w`])(``|`)([^\s`'](?:[^`'\n]*[^\s`'])?)(''|')(?![\w'])")
_VERBATIM = frozenset({"kept", "passed", "plain2", "plain", "raised", "lowered", "address"})
_NESTED = frozenset({"bold2", "slant2", "marked2", "bold", "slant", "marked", "indexed"})
_SCHEMES = frozenset({"http", "https", "ftp", "irc", "mailto", "link", "xref", "file"})
_UNSEEN = frozenset({"image", "icon", "anchor", "indexterm", "video", "audio"})
_SHOWN = frozenset({"kbd", "btn", "pass", "stem", "latexmath", "asciimath", "indexterm2"})
_NOTES = frozenset({"footnote", "footnoteref"})


@dataclass(slots=True)
class Inline:
    """`titles`: of the file's anchors; `attributes`: defined in the file so far; `compatible`:
    'quoted' is emphasis, as in a file whose title is underlined.
    """

    titles: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    compatible: bool = False
    _left: int = _GROWTH

    def define(self, name: str, value: str) -> None:
        if name.startswith("!") or name.endswith("!"):
            self.attributes.pop(name.strip("!").lower(), None)
        else:
            self.attributes[name.lower()] = self.shown(value)[:_LONGEST_VALUE]

    def filled(self, text: str) -> str:
        """With the values of the attributes that are defined; others stay as they are written."""
        return _REFERENCE.sub(self._value, text) if "{" in text else text

    def _value(self, match: re.Match[str]) -> str:
        name = match.group(2).lower()
        value = self.attributes.get(name, _CHARACTERS.get(name))
        if match.group(1):
            return match.group()[1:] if value is not None else match.group()
        if value is None or len(value) > self._left:
            return match.group()
        self._left -= len(value)
        return value

    def shown(self, text: str, depth: int = 0) -> str:
        """What is shown of the lines of a paragraph, on as many lines; of what stands in so many
        marks. Markup is read first: a value is shown as it is.
        """
        if len(text) > _LONGEST or depth > _NESTING:
            return text
        pieces: list[str] = []
        end = 0
        for match in _INLINE.finditer(text):
            pieces.append(self._quoted(text[end : match.start()]))
            piece = self._piece(match, depth)
            pieces.append(piece + "\n" * (match.group().count("\n") - piece.count("\n")))
            end = match.end()
        pieces.append(self._quoted(text[end:]))
        return "".join(pieces)

    def _quoted(self, text: str) -> str:
        if self.compatible:
            text = _QUOTES.sub(r'"\2"', text)
            text = _EMPHASIS.sub(r"\1", text)
        return self.filled(text)

    def _piece(self, match: re.Match[str], depth: int) -> str:
        kind = match.lastgroup or ""
        said = match[kind] if kind else ""
        if kind == "said":
            return self._macro(match, depth)
        if kind in ("id", "named"):
            return self._reference(match["id"], match["named"], depth)
        if kind in _NESTED:
            return self.shown(said, depth + 1)
        if kind in ("code2", "code"):
            return self._code(said)
        if kind == "cited":
            said = self.shown(said, depth + 1)
            said = f'"{said}"' if self.compatible else f"``{said}''"
        elif kind == "book":
            said = f"[{said[1:-1].rpartition(',')[2].strip()}]"
        elif kind not in _VERBATIM:
            said = ""
        return said

    def _code(self, text: str) -> str:
        if len(text) > 2 and text[0] == text[-1] == "+":
            return text[1:-1]
        text = re.sub(r"\\(?=[{*_`#\[<]|--|\w+:)", "", self.filled(text))
        return _PAGE.sub(lambda each: f"{each[1]}({each[2]})", text)

    def _reference(self, target: str, named: str | None, depth: int) -> str:
        if named:
            return self.shown(named.strip(), depth + 1)
        target = target.strip().rpartition("#")[2] or target.strip()
        return self.titles.get(target) or target.removeprefix("_").replace("_", " ")

    def _macro(self, match: re.Match[str], depth: int) -> str:
        name, target, said = match["macro"], match["target"], match["said"].replace("\\]", "]")
        said = said.strip()
        if name in _UNSEEN:
            return ""
        if name in _SCHEMES:
            return self._link(name, target, said, depth)
        if name == "menu":
            return " > ".join(filter(None, (target, *(each.strip() for each in said.split(">")))))
        if name in _NOTES and depth < _NESTING:
            inner = said.partition(",")[2] or said if name == "footnoteref" else said
            return f" ({self.shown(inner, depth + 1)})" if inner else ""
        if target and said.isdigit():  # a page of a manual, whatever a project calls that
            return f"{target}({said})"
        return said if name in _SHOWN and not target else self.filled(match.group())

    def _link(self, name: str, target: str, said: str, depth: int) -> str:
        """Its text, or where it leads; what follows a comma or a caret is for a browser."""
        said = said.removesuffix("^").strip('"')
        said = re.sub(r",\s*\w+=.*", "", said, flags=re.DOTALL)
        if said and "=" not in said.split()[0]:
            return self.shown(said, depth + 1)
        if name == "xref":
            return self._reference(target, None, depth)
        target = self.filled(target).removeprefix("++").removesuffix("++")
        return target if name in ("link", "mailto") else f"{name}:{target}"
