"""Lines of Markdown that only a site's generator reads, as rules of markdown-it-py: imports and
components of MDX, shortcodes of Hugo, tags of Liquid and ERB, the marks around an admonition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from state.blocks import BlockKind

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock

_DEEPEST = 20
_INSIDE = r"[^{}]"
for _ in range(5):  # braces within braces
    _INSIDE = rf"(?:[^{{}}]|\{{{_INSIDE}*+\}})"
_ATTRIBUTE = rf"(?:[^<>{{}}\"']|\"[^\"]*+\"|'[^']*+'|\{{{_INSIDE}*+\}})"
# Of HTML or a component; an address in angles is none.
_TAG = rf"</?(?: ?[A-Za-z][\w.-]*+(?:\s{_ATTRIBUTE}*+)?)?/?>"
_GENERATED = rf"(?=\{{%|\{{\{{[<%]|\{{/\*)\{{{_INSIDE}*+\}}"
_MARK = rf"(?:{_GENERATED}|<%(?!=)[^%]*+%>|{_TAG})"
ALONE = rf"(?:{_MARK}[ \t]*)++(?=\n|\Z)"
"""Marks to the end of their line."""
LEADING = re.compile(rf"(?:{_MARK}\s*+)++")
WRAPPED = re.compile(
    rf"\s*<(?!(?:a|script|style)\b)([A-Za-z][\w.-]*+)(?:\s{_ATTRIBUTE}*+)?>"
    r"((?:[^<]|<(?!/?\1\b))*+)</\1>\s*"
)
"""A tag around the whole of a text that is shown, no link's: its name, and what is in it."""
_MARKS = re.compile(rf"(?!<(?:pre|script|style|textarea)\b){ALONE}")

_FENCED = re.compile(r"^[ \t]*(`{3,9}+|~{3,9}+).*?^[ \t]*\1", re.DOTALL | re.MULTILINE)
_MODULE = re.compile(
    r"import\s(?:\s*[{*\"']|[^\n]*\sfrom\s+[\"'])|export\s+(?:const|let|default|function|[{*])"
)
_MDX = re.compile(rf"^(?:{_MODULE.pattern}|[ ]{{0,3}}</ ?[A-Z]\w*[a-z])", re.MULTILINE)
_CLOSING = ("}", "]", ")")
_COLONS = re.compile(r":{3,}[ \t]*+(.*)")
_NOTE = re.compile(
    r"\{?(?:\.?callout-)?[A-Za-z]+(?![\w.-])\}?\s*"
    r"(?:\[([^\]]*)\]|([^\[\]{}=]+)$|[^\"]*\btitle=\"([^\"]*)\")?"
)


def is_mdx(text: str) -> bool:
    """Whether it imports, exports or closes components, other than in code."""
    return _MDX.search(_FENCED.sub("", text)) is not None


def read_marks(parser: MarkdownIt, *, mdx: bool) -> None:
    """Adds the rules to the parser's own; in MDX no line is code for its indentation."""
    ruler = parser.block.ruler
    ends: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    if mdx:
        parser.disable("code")
        ruler.before("html_block", "module", _module)
        ruler.before("html_block", "wrapped", _wrapped)
        ruler.before("html_block", "marks", _marks, ends)
    else:
        ruler.after("html_block", "marks", _marks, ends)
    ruler.before("html_block", "admonition", _admonition, ends)


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _marks(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Lines that hold marks alone: in no block."""
    start = state.bMarks[first] + state.tShift[first]
    if not state.src.startswith(("<", "{"), start) or state.is_code_block(first):
        return False
    found = _MARKS.match(state.src, start, state.eMarks[last - 1])
    if found is not None and not silent:
        state.line = first + 1
        while state.line < last and state.bMarks[state.line] < found.end():
            state.line += 1
    return found is not None


def _wrapped(state: StateBlock, first: int, _last: int, silent: bool) -> bool:
    """A line within a tag, such as a summary: a paragraph, whatever follows."""
    start, end = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    if silent or WRAPPED.fullmatch(state.src, start, end) is None:
        return False
    _show(state, BlockKind.PARAGRAPH, start, end)
    state.line = first + 1
    return True


def _module(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """What a page imports or exports, up to a blank line with no more of it below: of its data
    each entry (`{`, its lines, `}`) is a paragraph, so that a question stays with its answer.
    """
    if silent or state.blkIndent or not _MODULE.match(_line(state, first)):
        return False
    opened: int | None = None
    number = first
    while number < last:
        below = state.skipEmptyLines(number)
        line = _line(state, below) if below < last else ""
        if below > number and not (line.startswith(_CLOSING) or (line and state.sCount[below])):
            break
        number = below
        if line == "{":
            opened = number + 1
        elif opened is not None and line.startswith("}"):
            _show(state, BlockKind.PARAGRAPH, state.bMarks[opened], state.bMarks[number])
            opened = None
        number += 1
    state.line = number
    return True


def _admonition(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """`:::note Title`, blocks as usual, `:::`; of any other such line its mark is in no block."""
    mark = _COLONS.fullmatch(_line(state, first))
    if mark is None or state.is_code_block(first):
        return False
    if silent:
        return True
    state.line = first + 1
    note = _NOTE.match(mark[1])
    end = _closing(state, first, last) if note else None
    if note is None or end is None:
        return True
    state.push("blockquote_open", "", 1)
    if note.lastindex:
        begin = state.bMarks[first] + state.tShift[first] + mark.start(1)
        _show(state, BlockKind.NOTE, *(begin + each for each in note.span(note.lastindex)))
    before, state.lineMax = state.lineMax, end
    state.md.block.tokenize(state, first + 1, end)
    state.lineMax, state.line = before, end + 1
    state.push("blockquote_close", "", -1)
    return True


def _show(state: StateBlock, kind: BlockKind, start: int, end: int) -> None:
    state.push("shown", kind, 0).meta = {"extent": (start, end)}


def _closing(state: StateBlock, first: int, last: int) -> int | None:
    depth, fenced = 0, False
    for number in range(first, last):
        line = _line(state, number)
        fenced ^= line.startswith(("```", "~~~"))
        mark = _COLONS.fullmatch(line)
        if mark is not None and not fenced:
            depth += 1 if mark[1] else -1
        if not 0 < depth <= _DEEPEST:
            return None if depth else number
    return None
