"""A Markdown page as other programs save it: HTML with menus, Word, slides, OpenDocument, PDF."""

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

from docx import Document
from fpdf import FPDF
from lxml.html import fromstring
from markdown_it import MarkdownIt
from pptx import Presentation
from pptx.util import Inches

Block = tuple[str, str, int, Sequence[Sequence[str]]]
"""Its tag, its text, how many lists it stands in, and a table's rows."""

_PARSER = MarkdownIt("commonmark").enable("table")
_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "table")
_NOTE = re.compile(r"(?<=\w) \(([^()]{16,})\)")
"""What stands in brackets: a footnote of a text, and said in the notes of a slide."""
_INLINE = re.compile(r"</?(?!(?:h\d|p|[uo]l|li|pre|table|thead|tbody|tr|t[hd])\b)\w[^<>]*>")
_SITE = """<!doctype html><html><head><title>Handbook</title><style>a {color: red}</style></head>
<body><div class="banner">We use cookies. <button>Accept all</button></div>
<header><a href="/">Handbook</a> <input placeholder="Search"> <a href="/login">Log in</a></header>
<div class="breadcrumbs"><a href="/">Home</a> / <a href="/guides">Guides</a></div>
<nav><ul><li><a href="a.html">Start here</a></li><li><a href="b.html">Imprint</a></li></ul></nav>
<main>%s</main><aside><h4>On this page</h4><ul>%s</ul></aside>
<footer><a href="edit">Edit this page</a><p>Copyright 2026, all rights reserved</p></footer>"""
_OPENDOCUMENT = """<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
xmlns:g="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><o:body><o:text>%s</o:text></o:body>
</o:document-content>"""


def page_of(markdown: str) -> Any:
    """The tree of its HTML, in which the text of every item is a paragraph."""
    tokens = _PARSER.parse(markdown)
    for token in tokens:
        token.hidden = False
    return fromstring(f"<div>{_PARSER.renderer.render(tokens, _PARSER.options, {})}</div>")


def _blocks(markdown: str) -> Iterator[Block]:
    for element in page_of(markdown).iter(*_TAGS):
        rows = [[cell.text_content() for cell in row] for row in element.iter("tr")]
        yield element.tag, element.text_content(), len([*element.iterancestors("li")]), rows


def _html(markdown: str, path: Path) -> None:
    heads = (escape(text) for tag, text, *_ in _blocks(markdown) if tag == "h2")
    contents = "".join(f'<li><a href="#{head}">{head}</a></li>' for head in heads)
    path.write_text(_SITE % (_PARSER.render(markdown), contents), encoding="utf-8")


def _docx(markdown: str, path: Path) -> None:
    document = Document()
    document.sections[0].footer.paragraphs[0].text = "Handbook, page 1"
    for tag, text, depth, rows in _blocks(markdown):
        listed = ("Normal", "List Bullet", "List Bullet 2", "List Bullet 3")[min(depth, 3)]
        if rows:
            _fill(document.add_table(len(rows), len(rows[0]))._cells, rows)
        else:
            document.add_paragraph(text, f"Heading {tag[1]}" if tag[0] == "h" else listed)
    document.save(str(path))


def _pptx(markdown: str, path: Path) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    for tag, text, depth, rows in _blocks(markdown):
        if tag[0] == "h":
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = text
        elif rows:
            size = len(rows), len(rows[0])
            _fill(
                slide.shapes.add_table(*size, *map(Inches, (1, 4, 8, 2))).table.iter_cells(), rows
            )
        else:
            paragraph = slide.placeholders[1].text_frame.add_paragraph()
            paragraph.text, paragraph.level = _NOTE.sub("", text), max(depth - 1, 0)
            for said in _NOTE.findall(text):
                slide.notes_slide.notes_text_frame.text += said + "\n"
    deck.save(str(path))


def _fill(cells: Iterable[Any], rows: Sequence[Sequence[str]]) -> None:
    for cell, text in zip(cells, chain.from_iterable(rows), strict=True):
        cell.text = text


def _odt(markdown: str, path: Path) -> None:
    def paragraph(text: str) -> str:
        note = r"<t:note><t:note-body><t:p>\1</t:p></t:note-body></t:note>"
        return f"<t:p>{_NOTE.sub(note, escape(text))}</t:p>".replace("\n", "<t:line-break/>")

    body = ""
    for tag, text, depth, rows in _blocks(markdown):
        lists = "<t:list><t:list-item>" * depth, "</t:list-item></t:list>" * depth
        cells = [[f"<g:table-cell>{paragraph(cell)}</g:table-cell>" for cell in r] for r in rows]
        lines = (f"<g:table-row>{''.join(row)}</g:table-row>" for row in cells)
        if tag[0] == "h":
            body += f'<t:h t:outline-level="{tag[1]}">{escape(text)}</t:h>'
        else:
            body += f"<g:table>{''.join(lines)}</g:table>" if rows else paragraph(text).join(lists)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", _OPENDOCUMENT % body)


class _Sheets(FPDF):
    """Pages with a running head and their numbers."""

    def header(self) -> None:
        self.set_font("helvetica", size=8)
        self.cell(text=f"Handbook, page {self.page_no()}", new_x="LMARGIN", new_y="NEXT")


def _pdf(markdown: str, path: Path) -> None:
    """Its font has Latin letters alone."""
    pdf, page = _Sheets(), _INLINE.sub("", _PARSER.render(markdown))
    pdf.add_page()
    pdf.write_html(page.encode("latin-1", "replace").decode("latin-1"))
    pdf.output(str(path))


WRITERS = {".html": _html, ".docx": _docx, ".pptx": _pptx, ".odt": _odt, ".pdf": _pdf}
