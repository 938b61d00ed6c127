"""What the pages are made of. Everything that came from outside is escaped here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

from state.answer import Citation, Spent, Usage
from state.written_place import written_place

_MARKER = re.compile(r"\[(\d{1,4})\]")
_LINK = r"<sup><a href='#source-\1'>[\1]</a></sup>"


def badge(status: str) -> str:
    return f"<span class='badge {escape(status)}'>{escape(status)}</span>"


def tiles(facts: Mapping[str, str]) -> str:
    """Short facts side by side: a label, and its value large."""
    cells = (f"<div><b>{escape(value)}</b>{escape(name)}</div>" for name, value in facts.items())
    return f"<section class=tiles>{''.join(cells)}</section>"


def with_links(text: str) -> str:
    """Escaped text whose [n] lead to the sources."""
    return _MARKER.sub(_LINK, escape(text))


def sources(citations: Sequence[Citation]) -> str:
    if not citations:
        return ""
    items = "".join(
        f"<li id=source-{c['marker']} value={c['marker']}><b>"
        f"{escape(written_place(c['source'], c['page'], c['start_line'], c['end_line']))}</b> "
        f"<small>{escape(c['support'])}</small><blockquote>{escape(c['quote'])}</blockquote></li>"
        for c in citations
    )
    return f"<ol class=sources>{items}</ol>"


def markdown(text: str) -> str:
    """The Markdown of reports: headings, lists and paragraphs, nothing else of it."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("zero").enable(["heading", "list"])
    return _MARKER.sub(_LINK, parser.render(text))


Cell = str | float


def table(
    head: Sequence[str], rows: Iterable[Sequence[Cell]], numbers: Collection[int] = ()
) -> str:
    """Rows of HTML cells; the columns in `numbers` stand to the right. A number is a share from
    0 to 1, drawn as a bar.
    """

    def cell(tag: str, place: int, text: Cell) -> str:
        look = " class=n" if place in numbers else ""
        if isinstance(text, float):
            return f"<td class=bar><i style='width:{text:.1%}'></i></td>"
        return f"<{tag}{look}>{text}</{tag}>"

    lines = [(head, "th"), *((row, "td") for row in rows)]
    body = "".join(
        f"<tr>{''.join(cell(tag, place, text) for place, text in enumerate(cells))}</tr>"
        for cells, tag in lines
    )
    return f"<div class=wide><table>{body}</table></div>"


def costs(timings_ms: Mapping[str, float], usage: Usage) -> str:
    """Time and tokens by node, and in all; a bar is a node's time against the longest."""
    spent: dict[str, Spent] = {**usage["by_node"], "total": usage}
    nodes = [name for name in {**timings_ms, **spent} if name != "total"]
    longest = max([timings_ms.get(name, 0.0) for name in nodes] + [0.001])
    rows: list[Sequence[Cell]] = []
    for name in (*nodes, "total"):
        ms, used = timings_ms.get(name), spent.get(name)
        counts = (used["llm_calls"], used["input_tokens"], used["output_tokens"]) if used else ()
        tokens = [f"{count:,}" for count in counts] or [""] * 3
        bar: Cell = (ms or 0.0) / longest if name != "total" else ""
        rows.append((escape(name), "" if ms is None else f"{ms:,.1f} ms", *tokens, bar))
    head = ("node", "time", "calls", "tokens in", "tokens out", "")
    dollars = f"<p class=meta>${usage['cost_usd']:.4f}</p>" if usage["cost_usd"] else ""
    return table(head, rows, range(1, 5)) + dollars
