"""What the pages are made of. Everything that came from outside is escaped here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

from state.answer import Citation, Usage
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
    """Time and tokens by node; a time that is nobody's own is the total's."""
    nodes = {name: ms for name, ms in timings_ms.items() if name != "total"}
    whole = max([*nodes.values(), 0.001])
    rows: list[Sequence[Cell]] = []
    for name in dict.fromkeys([*nodes, *usage["by_node"]]):
        spent = usage["by_node"].get(name)
        ms = f"{nodes[name]:,.1f} ms" if name in nodes else ""
        calls = (
            (str(spent["llm_calls"]), f"{spent['input_tokens']:,}", f"{spent['output_tokens']:,}")
            if spent
            else ("", "", "")
        )
        rows.append((escape(name), ms, *calls, nodes.get(name, 0.0) / whole))
    dollars = "" if not usage["cost_usd"] else f", ${usage['cost_usd']:.4f}"
    total = (
        f"<b>total</b>{dollars}",
        f"{timings_ms['total']:,.1f} ms",
        str(usage["llm_calls"]),
        f"{usage['input_tokens']:,}",
        f"{usage['output_tokens']:,}",
        "",
    )
    return table(
        ("node", "time", "calls", "tokens in", "tokens out", ""), [*rows, total], range(1, 5)
    )
