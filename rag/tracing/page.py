"""The frame of the program's HTML pages: style inside, no script, nothing loaded."""

from __future__ import annotations

from html import escape

_STYLE = """
:root { color-scheme: light dark; --line: #8885; --good: #2a8a4a; --bad: #b3382c; --mid: #b58a12 }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; margin-top: 2rem }
.meta, small, .gone { color: #888 } .status { font-weight: 600 }
.answered, details.correct > summary { color: var(--good) }
.partial, details.ambiguous > summary { color: var(--mid) }
.abstained, details.incorrect > summary { color: var(--bad) }
.answer { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem }
blockquote { margin: .2rem 0 .6rem; padding-left: .8rem; border-left: 3px solid var(--line) }
.loops { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)) }
article { border: 1px solid var(--line); border-radius: 8px; padding: 0 1rem 1rem; min-width: 0 }
.query { font-weight: 600 } .decision { font-style: italic }
details { margin: .3rem 0 } pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px }
mark { background: #ffe58a; color: #000 }
table { border-collapse: collapse } td, th { text-align: left; padding: .15rem .8rem .15rem 0 }
svg { max-width: 100%; height: auto }
svg text { font: 12px system-ui, sans-serif; fill: currentColor }
"""


def page(title: str, body: str) -> str:
    """A whole document; `body` is HTML whose foreign text was escaped by its writer."""
    return (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=viewport content='width=device-width'>\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n{body}\n</html>\n"
    )
