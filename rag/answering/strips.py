"""The sentences of relevant chunks, and what stands around each that it leaves unsaid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.index.terms import terms
from rag.text.sentences import sentence_spans

_ROW = re.compile(r"\s*\|.*\||.* \| ")
_TABLE_RULE = re.compile(r"\s*\|?[\s|:=+-]*-[\s|:=+-]*$")
_FIGURE = re.compile(r"[\s*]*[$€£¥~+-]?\s?\d[\d.,:/%–-]*\s*%?[\s*]*$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_NO_EVIDENCE = re.compile(
    r"\s{0,3}(?:#{1,6}\s|`{3}|~{3})|[\W_]*$"
    # Templates, tags alone, link definitions: marks for machines. Possessive: what is not
    # only these is not tried in every way it can be taken apart.
    r"|\s*(?:\{\{.*\}\}|(?:</?\w[^<>]*>\s*+)++|<!--.*-->|(?:\[[^\]\n]+\]:\s*\S++\s*+)++)\s*$",
    re.DOTALL,
)
_UNDERLINED = re.compile(r"\n\s{0,3}[=\-~^]{3,}[ =]*$")
_DEFINES = re.compile(r"\s*:\s+\S")
_FIELD = re.compile(r"\s*:?[^\W\d_][^:：|\n]{0,40}[:：]\s+\S")  # noqa: RUF001
_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,4}[.)])\s")
_LEANS = re.compile(
    r"[\"'“(]?(?:he|she|it|they|this|these|those|such|his|her|hers|its|their|both"
    r"|the (?:former|latter|same)|however|instead|therefore|thus|also|then|there|here|another"
    r"|one of (?:them|these))\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"(?:yes|no)\b", re.IGNORECASE)
_RUNS_ON = re.compile(r"^(?![#|]).*[\w,]$", re.DOTALL)
_LONGEST_HEADING = 160
_LONGEST_TITLE = 100
_SENTENCE = re.compile(r"[.!?:;,]\s*$|^\s*[-*+•]\s|\|")
_MOST_FIELDS = 12
_MOST_ITEMS = 8
_MOST_ROWS = 40
_COLUMNS = re.compile(r"\S\s{2,}\S")
_COLUMN_RULE = re.compile(r"\s*={2,}(?:\s+={2,})+\s*$")


@dataclass(frozen=True, slots=True)
class Source:
    """A stretch of text to take sentences from; `about` is its title and headings, which its
    sentences leave unsaid.
    """

    text: str
    about: str
    start_char: int
    pieces: tuple[tuple[int, int], ...] = ()  # sentences do not reach over their ends


@dataclass(frozen=True, slots=True)
class Strip:
    """One sentence of a source, in the CRAG paper's word; offsets are the document's."""

    source: int
    index: int
    start_char: int
    end_char: int
    text: str
    terms: tuple[str, ...]

    @property
    def is_evidence(self) -> bool:
        """False for headings, rules, fences and tags, which say nothing by themselves."""
        return not _NO_EVIDENCE.match(self.text) and not _UNDERLINED.search(self.text)

    @property
    def is_heading(self) -> bool:
        """Marked as one, or the line that opens a document."""
        if _HEADING.match(self.text) or _UNDERLINED.search(self.text):
            return True
        opens = self.start_char == 0 and len(self.text) <= _LONGEST_TITLE
        return opens and not _SENTENCE.search(self.text)

    @property
    def is_item(self) -> bool:
        return bool(_ITEM.match(self.text))


def strips_of(sources: Sequence[Source]) -> list[Strip]:
    return [
        Strip(
            number,
            index,
            source.start_char + start,
            source.start_char + end,
            source.text[start:end],
            tuple(terms(source.text[start:end])),
        )
        for number, source in enumerate(sources)
        for index, (start, end) in enumerate(_sentences(source))
    ]


def _sentences(source: Source) -> Iterator[tuple[int, int]]:
    if not source.pieces:
        yield from sentence_spans(source.text)
    for first, last in source.pieces:
        text = source.text[first:last]
        spans = sentence_spans(text)
        # A sentence that began in mid-line has a short first line: no line broken on purpose.
        opens = _RUNS_ON.search(text[slice(*spans[0])]) if len(spans) > 1 else None
        if opens and not _ROW.match(text[slice(*spans[1])]):
            spans[:2] = [(spans[0][0], spans[1][1])]
        for start, end in spans:
            yield first + start, first + end


def evidence(strips: Sequence[Strip]) -> list[int]:
    """Indices of the strips that can say something by themselves."""
    heads = {table_head(strips, i) for i in range(len(strips))}
    return [
        i
        for i, strip in enumerate(strips)
        if strip.is_evidence and i not in heads and not _is_named_only(strips, i)
    ]


def _is_named_only(strips: Sequence[Strip], i: int) -> bool:
    """A term above its definition, the head of a table between its rules."""
    if not same_source(strips, i, i + 1):
        return False
    above, below = strips[i - 1], strips[i + 1]
    if _DEFINES.match(below.text):
        return not _DEFINES.match(strips[i].text)
    ruled = same_source(strips, i, i - 1) and _COLUMN_RULE.match(above.text)
    return bool(ruled and _COLUMN_RULE.match(below.text))


def same_source(strips: Sequence[Strip], i: int, j: int) -> bool:
    return 0 <= j < len(strips) and strips[j].source == strips[i].source


def table_head(strips: Sequence[Strip], i: int) -> int | None:
    """The row that names the columns of row `i`, where one is sure to: it opens the document,
    a rule is drawn under it, or it names what the rows below it count.
    """
    if not _ROW.match(strips[i].text):
        return None
    head = i
    while same_source(strips, i, head - 1) and _ROW.match(strips[head - 1].text):
        head -= 1
    if head == i:
        return None
    ruled = bool(_TABLE_RULE.match(strips[head + 1].text))
    if ruled or strips[head].start_char == 0:
        return head
    opens = same_source(strips, i, head - 1)
    return head if opens and not _figures(strips[head]) and _figures(strips[i]) else None


def _figures(row: Strip) -> bool:
    return any(_FIGURE.match(cell) for cell in row.text.split("|") if cell.strip())


def heading(strips: Sequence[Strip], i: int) -> int | None:
    """The heading that strip `i` stands under, in the same stretch of text."""
    for j in range(i - 1, i - 1 - strips[i].index, -1):
        if strips[j].is_heading:
            return j if len(strips[j].text) <= _LONGEST_HEADING else None
    return None


def lead_in(strips: Sequence[Strip], i: int) -> int | None:
    """What introduces a list item ("You need:") or is explained by a definition (": a tool")."""
    strip = strips[i]
    if _DEFINES.match(strip.text):
        before = _behind(strips, i, _DEFINES)
        return before if before is not None and len(strips[before].terms) <= 12 else None
    if strip.is_item:
        before = _behind(strips, i, _ITEM)
        if before is not None and strips[before].text.endswith(":"):
            return before
    return None


def _rules_above(strips: Sequence[Strip], i: int) -> list[int]:
    """The head, between its rules, of a table whose columns are set by spaces."""
    if not _COLUMNS.search(strips[i].text):
        return []
    for j in range(i - 1, max(i - 1 - strips[i].index, i - _MOST_ROWS) - 1, -1):
        if _COLUMN_RULE.match(strips[j].text):
            above = same_source(strips, i, j - 2) and _COLUMN_RULE.match(strips[j - 2].text)
            return [j - 2, j - 1, j] if above else [j]
        if not _COLUMNS.search(strips[j].text):
            return []
    return []


def follows(strips: Sequence[Strip], i: int) -> list[int]:
    """The list items that a sentence with a colon at its end introduces."""
    if not strips[i].text.rstrip("*_ ").endswith(":"):
        return []
    return _items(strips, i, 1)


def siblings(strips: Sequence[Strip], i: int) -> list[int]:
    """The items of the list that item `i` is one of, itself among them, in order."""
    if not strips[i].is_item:
        return []
    return [*reversed(_items(strips, i, -1)), i, *_items(strips, i, 1)]


def _items(strips: Sequence[Strip], i: int, step: int) -> list[int]:
    found: list[int] = []
    j = i + step
    while same_source(strips, i, j) and strips[j].is_item and len(found) < _MOST_ITEMS:
        found.append(j)
        j += step
    return found


def _behind(strips: Sequence[Strip], i: int, pattern: re.Pattern[str]) -> int | None:
    lead = i
    while lead > i - strips[i].index and pattern.match(strips[lead].text):
        lead -= 1
    return lead if lead < i and not pattern.match(strips[lead].text) else None


def unsaid(strips: Sequence[Strip], i: int) -> list[int]:
    """Strips whose words hold for strip `i` too: its heading, its lead-in, its columns' names,
    the question that it answers.
    """
    found = [
        j for j in (heading(strips, i), lead_in(strips, i), table_head(strips, i)) if j is not None
    ]
    if same_source(strips, i, i - 1) and strips[i - 1].text.rstrip("*_").endswith("?"):
        found.append(i - 1)
    return found


def record(strips: Sequence[Strip], i: int) -> list[int]:
    """The other fields of the record that strip `i` is one of ("From: ...", "Date: ...")."""
    if not _FIELD.match(strips[i].text) or strips[i].is_item:
        return []
    found: list[int] = []
    for step in (-1, 1):
        j = i + step
        while (
            same_source(strips, i, j)
            and _FIELD.match(strips[j].text)
            and abs(j - i) <= _MOST_FIELDS
        ):
            found.append(j)
            j += step
    return found


def leans_on(strips: Sequence[Strip], i: int) -> list[int]:
    """What a sentence cannot be understood without: an antecedent, a table's head, a lead-in."""
    text = strips[i].text
    if (head := table_head(strips, i)) is not None:
        return [head] if head + 1 == i else [head, head + 1]
    if (lead := lead_in(strips, i)) is not None:
        return [lead]
    if strips[i].is_item:
        return []
    if rules := _rules_above(strips, i):
        return rules
    # "Only guide dogs may enter." says half of "Yes, in the museum. Only guide dogs …".
    before = i - 1
    if not same_source(strips, i, before) or not strips[before].is_evidence:
        return []
    return [before] if _LEANS.match(text) or _SAYS.match(strips[before].text) else []
