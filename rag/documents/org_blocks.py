"""An Org document as clean text on its own lines, and the blocks of that text: line n of the text
is line n of the file, and a line that is only markup becomes an empty one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rag.documents.found import Found, all_blocks
from rag.text.introduced import lead_above
from state.blocks import BlockKind, Placed

_NESTING = 3
_LONGEST_DRAWER = 100
_HEADING = re.compile(
    r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(?:\[#\w\][ \t]+)?"
    r"([^ \t]++(?:[ \t]++[^ \t]++)*?)(?:[ \t]+:[\w@#%:]+:)?[ \t]*"
)
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)(?:[ \t]+([\w+-]+))?.*", re.IGNORECASE)
_KEYWORD = re.compile(r"[ \t]*#\+(\w+):[ \t]*(\S.*)")
_UNSEEN = re.compile(r"[ \t]*(?:#(?:[ +].*)?|:[\w-]+:)[ \t]*")  # a comment, a setting, a drawer
_DRAWER = re.compile(r"[ \t]*:(?!END:)[\w-]+:[ \t]*", re.IGNORECASE)
_END_OF_DRAWER = re.compile(r"[ \t]*:END:[ \t]*", re.IGNORECASE)
_FIXED = re.compile(r"[ \t]*:(?: (.*))?")
_ESCAPED = re.compile(r"^([ \t]*),(?=,*(?:\*|#\+))")
_TERM = re.compile(r"^([ \t]*(?:[-+]|\d+[.)])[ \t].*?\S)[ \t]+::(?=[ \t]|$)", re.MULTILINE)
_INLINE = re.compile(
    r"""
      \[\[(?P<target>[^\[\]\n]{1,1000})\]
      (?:\[(?P<text>(?:[^\[\]]|\[[^\[\]]{0,200}\]){1,1000})\])?\]
    | (?<!<)<<[^<>\n]{1,200}>>(?!>)
    | (?:^|(?<=[\s({'"\-]))(?:
        (?P<verbatim>[=~])(?!(?P=verbatim))
        (?P<code>[^\s](?:(?:[^\n]|\n(?!\s*\n)){0,300}?[^\s])??)(?P=verbatim)
      | (?P<mark>[*/_+])(?!(?P=mark))
        (?P<said>[^\s-](?:(?!(?P=mark))(?:[^\n]|\n(?!\s*\n))){0,300})(?<!\s)(?P=mark)
      )(?=[\s\-.,;:!?'")}\[\\]|$)
    """,
    re.VERBOSE | re.MULTILINE,
)
_SHOWN = frozenset({"title", "subtitle", "author", "email", "date", "description", "keywords"})
"""What a document says of itself; all other keywords are settings."""
_CODE = frozenset({"src", "example"})
_OF_OTHER_FORMATS = frozenset({"export", "comment"})


def read_blocks(text: str) -> tuple[str, list[Placed]]:
    """The clean text, with as many lines as `text`, and its blocks."""
    walk = _Walk(text.split("\n"))
    walk.run()
    shown = "\n".join(walk.out)
    placed: list[Placed] = []
    for at, block in all_blocks(walk.out, walk.found):
        if block.kind is BlockKind.CODE and block.lead is None:
            block = block._replace(lead=lead_above(shown, placed, at))  # noqa: PLW2901
        placed.append(Placed(at, block))
    return shown, placed


@dataclass(slots=True)
class _Walk:
    """Over the lines in order. `_prose` is where those since other text begin."""

    lines: list[str]
    out: list[str] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    _prose: int = 0
    _last: dict[str, int] = field(init=False)

    def run(self) -> None:
        self._last = {line.strip().lower(): number for number, line in enumerate(self.lines)}
        while len(self.out) < len(self.lines):
            index, line = len(self.out), self.lines[len(self.out)]
            heading = _HEADING.fullmatch(line)
            keyword = _KEYWORD.fullmatch(line)
            begin = _BEGIN.fullmatch(line)
            if begin is not None:
                self._block(index, begin[1].lower(), begin[2] or "")
            elif keyword is not None and keyword[1].lower() in _SHOWN:
                self._write(f"{keyword[1].lower()}: {_shown(keyword[2])}")
                self.found.append(Found(BlockKind.METADATA, index, index))
            elif keyword is not None and keyword[1].lower() == "caption":
                self._write(_shown(keyword[2]))
            elif heading is not None:
                self._write(f"{'#' * min(len(heading[1]), 6)} {_shown(heading[2])}")
            elif _DRAWER.fullmatch(line):
                self._write(*[""] * self._drawer(index))
            elif _UNSEEN.fullmatch(line):
                self._write("")
            elif _FIXED.fullmatch(line):
                self._fixed(index)
            else:
                self.out.append(line)
        self._write()

    def _write(self, *lines: str) -> None:
        """The lines, below what is shown of the prose above them."""
        prose = _TERM.sub(r"\1:", "\n".join(self.out[self._prose :]))
        if self._prose < len(self.out):
            self.out[self._prose :] = _shown(prose).split("\n")
        self.out.extend(lines)
        self._prose = len(self.out)

    def _block(self, index: int, kind: str, language: str) -> None:
        """Code in a fence, nothing of what is meant for another format, and the lines of others."""
        mark = f"#+end_{kind}"
        if kind not in _CODE | _OF_OTHER_FORMATS or self._last.get(mark, -1) < index:
            self._write("")
            return
        end = index + 1
        while self.lines[end].strip().lower() != mark:
            end += 1
        inside = [_ESCAPED.sub(r"\1", line) for line in self.lines[index + 1 : end]]
        longest = max(map(len, re.findall("`{3,}", "\n".join(inside))), default=2)
        fence = "`" * (longest + 1)
        if kind in _CODE:
            self._write(fence + (language if kind == "src" else ""), *inside, fence)
        else:
            self._write(*[""] * (end + 1 - index))

    def _drawer(self, index: int) -> int:
        """How many lines it has; one where nothing ends it."""
        for number, line in enumerate(self.lines[index + 1 : index + _LONGEST_DRAWER], 2):
            if _END_OF_DRAWER.fullmatch(line):
                return number
            if _HEADING.fullmatch(line):
                break
        return 1

    def _fixed(self, index: int) -> None:
        """Lines behind colons, which are code."""
        code: list[str] = []
        while index < len(self.lines) and (fixed := _FIXED.fullmatch(self.lines[index])):
            index += 1
            code.append(f"    {fixed[1] or ''}".rstrip())
        self._write(*code)
        written = [number for number, line in enumerate(code, index - len(code)) if line]
        if written:
            self.found.append(Found(BlockKind.CODE, written[0], written[-1]))


def _shown(text: str, depth: int = 0) -> str:
    """What is shown of lines of prose, on as many lines."""

    def piece(match: re.Match[str]) -> str:
        shown = ""
        if match["target"]:
            shown = match["text"] or match["target"].removeprefix("file:").lstrip("*#")
        elif match["verbatim"]:
            return match["code"] if "`" in match["code"] else f"`{match['code']}`"
        elif match["mark"]:
            shown = match["said"]
        if depth < _NESTING and not (match["target"] and not match["text"]):
            shown = _shown(shown, depth + 1)
        return shown + "\n" * (match[0].count("\n") - shown.count("\n"))

    return _INLINE.sub(piece, text)
