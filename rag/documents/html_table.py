"""HTML tables as rows of plain cells, and the flat text of an element."""

from __future__ import annotations

from collections.abc import Sequence

from rag.documents.markup import Element, name

_BLOCKS_NAMES = (
    "html body div p section article main header footer aside nav address blockquote "
    "figure figcaption details summary form fieldset legend center ul ol menu dl dt dd "
    "li table caption thead tbody tfoot tr td th pre hr h1 h2 h3 h4 h5 h6 listing xmp "
    "hgroup search"
)
BLOCKS = frozenset(_BLOCKS_NAMES.split())
_MAX_SPAN = 50
_LONG_CELL = 600


def flat(element: Element, *, breaks: bool = False) -> str:
    """All the text of an element; with `breaks` its line feeds count, as in <pre>, without
    them block elements are parted by a space.
    """
    from lxml import etree

    pieces: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end")):
        tag = name(node).lower()
        start = event == "start"
        if tag == "br" and start:
            pieces.append("\n" if breaks else " ")
        elif tag in BLOCKS and not breaks:
            pieces.append(" ")
        if tag in {"script", "style"}:
            text = None if start else node.tail
        else:
            text = node.text if start else node.tail
        if text and (start or node is not element):
            pieces.append(text)
    return "".join(pieces)


def is_layout(rows: Sequence[Element]) -> bool:
    """Whether a table only arranges a page: nested tables, headings, prose, or one column."""
    cells = [cell for tr in rows for cell in tr]
    if max((len(tr) for tr in rows), default=0) < 2:
        return True
    return any(
        next(cell.iter("table", "h1", "h2", "h3", "pre"), None) is not None
        or len("".join(cell.itertext())) > _LONG_CELL
        for cell in cells
    )


def spread(rows: Sequence[Element]) -> list[list[str]]:
    """The rows' texts, column under column: a cell over several rows is repeated in each, one
    over several columns leaves the rest of them empty.
    """
    below: dict[int, tuple[int, str]] = {}
    result: list[list[str]] = []
    for tr in rows:
        texts: list[str] = []
        for cell in tr:
            if name(cell).lower() not in {"td", "th"}:
                continue
            _from_above(texts, below)
            text = flat(cell)
            height = _span(cell, "rowspan")
            for column in range(_span(cell, "colspan")):
                shown = "" if column else text
                if height > 1:
                    below[len(texts)] = (height - 1, shown)
                texts.append(shown)
        _from_above(texts, below)
        result.append(texts)
    return result


def _from_above(texts: list[str], below: dict[int, tuple[int, str]]) -> None:
    while len(texts) in below:
        rows_left, text = below.pop(len(texts))
        if rows_left > 1:
            below[len(texts)] = (rows_left - 1, text)
        texts.append(text)


def _span(cell: Element, key: str) -> int:
    value = cell.get(key) or ""
    return min(int(value), _MAX_SPAN) if value.isdecimal() and int(value[:9]) else 1
