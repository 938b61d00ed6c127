"""The frame of the program's HTML pages: style inside, no script, nothing loaded."""

from __future__ import annotations

import re
from html import escape

_STYLE = """
:root {
  color-scheme: light dark;
  --bg: light-dark(#fbfbf9, #15171a); --card: light-dark(#fff, #1d2024);
  --ink: light-dark(#1d2126, #e4e6e8); --soft: light-dark(#667079, #98a1a9);
  --line: light-dark(#dfe2e4, #343a40); --accent: light-dark(#1f6f8b, #63b8d3);
  --good: light-dark(#1d7a45, #5cc88a); --mid: light-dark(#9a6b00, #e0b04a);
  --bad: light-dark(#b3382c, #f08a7e); --mark: light-dark(#ffeb9c, #5c4d10);
}
* { box-sizing: border-box }
body { font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; max-width: 82rem;
  margin: 0 auto; padding: 2rem 1.5rem 4rem; background: var(--bg); color: var(--ink) }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; margin: 2.4rem 0 .8rem } h3 { font-size: 1rem; margin: .9rem 0 .2rem }
.meta, small, .gone, figcaption { color: var(--soft) } .meta { margin: 0 0 1.2rem }
a { color: var(--accent); text-decoration: none }
.card, article, figure { background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; padding: 1rem 1.25rem; margin: 0 }
figure { padding: .5rem; overflow-x: auto }
.badge { display: inline-block; font-size: .78rem; font-weight: 600; border-radius: 99px;
  padding: .05rem .6rem; border: 1px solid currentColor }
.answered, .done, .correct { color: var(--good) } .partial, .cut, .ambiguous { color: var(--mid) }
.abstained, .failed, .incorrect { color: var(--bad) }
.empty, .waiting, .ungraded { color: var(--soft) }
.said { font-size: 1.1rem; margin: .7rem 0 } sup a { font-weight: 600; padding: 0 .1em }
ol.sources { margin: .8rem 0 0; padding: .8rem 0 0 1.4rem; border-top: 1px solid var(--line) }
ol.sources li { margin: .35rem 0 } ol.sources li:target { background: var(--mark) }
blockquote { margin: .1rem 0 0; padding-left: .8rem; border-left: 3px solid var(--line);
  color: var(--soft); overflow-wrap: anywhere }
.loops { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(23rem, 1fr)) }
article { padding: .2rem 1.1rem 1rem; min-width: 0 }
.query { font-weight: 600; margin: .2rem 0; overflow-wrap: anywhere }
.decision { margin: .8rem 0 0; padding-top: .6rem; border-top: 1px solid var(--line) }
.decision b { color: var(--accent) }
details { margin: .3rem 0 } summary { cursor: pointer; overflow-wrap: anywhere }
summary small { display: block; margin-left: 1.05rem }
summary .badge { min-width: 6.6rem; text-align: center; margin-right: .3rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace;
  background: var(--bg); border-radius: 8px; padding: .6rem .8rem; margin: .4rem 0 .6rem }
mark { background: var(--mark); color: inherit; border-radius: 3px }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
td, th { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; vertical-align: top }
th { color: var(--soft); font-weight: 500; font-size: .85rem } td.n, th.n { text-align: right;
  white-space: nowrap }
td.bar { width: 30%; min-width: 8rem; padding-right: 0; vertical-align: middle }
td.bar i { display: block; height: 8px; border-radius: 4px; background: var(--accent);
  min-width: 2px }
.tiles { display: flex; flex-wrap: wrap; gap: .8rem; margin: 0 0 1rem }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: .5rem 1.1rem; color: var(--soft); font-size: .85rem }
.tiles b { display: block; color: var(--ink); font-size: 1.35rem; font-weight: 600 }
svg { display: block; max-width: 100%; min-width: 42rem; height: auto; margin: 0 auto }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink) }
.edge { fill: none } .edge.went { stroke: var(--accent) } .edge.idle { stroke: var(--line) }
path.went { fill: var(--accent) } path.idle { fill: var(--line) }
path.edge { fill: none }
.node rect { fill: var(--bg); stroke: var(--line); stroke-width: 1.2 }
.node.went rect { stroke: var(--accent); stroke-width: 1.6 } .node.idle text { fill: var(--soft) }
.node rect.share, .node.went rect.share { fill: var(--accent); stroke: none }
svg .name { font-weight: 600 }
svg .note { font-size: 11px; fill: var(--soft) } svg .count { text-anchor: middle; font-size: 11px }
.tag { fill: var(--card); stroke: var(--line) }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem }
@media print { details > * { display: block } body { background: none } }
"""

_FEIGNING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters and bidirectional overrides."""


def page(title: str, body: str) -> str:
    """A whole document; `body` is HTML whose foreign text was escaped by its writer."""
    body = _FEIGNING.sub("\N{REPLACEMENT CHARACTER}", body)
    return (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=viewport content='width=device-width'>\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n{body}\n</html>\n"
    )
