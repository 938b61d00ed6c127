"""A Markdown page as other programs save it: HTML with menus, Word, slides, OpenDocument, PDF."""

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from docx import Document
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from fpdf import FPDF
from markdown_it import MarkdownIt
from pptx import Presentation
from pptx.util import Inches

_PARSER = MarkdownIt("commonmark").enable("table")
_NOTE = re.compile(r"(?<=\w) \(([^()]{16,})\)")
"""What stands in brackets becomes a footnote, or is said in the notes of a slide."""
_INLINE = re.compile(r"</?(?!(?:h\d|p|[uo]l|li|pre|table|thead|tbody|tr|t[hd])\b)\w[^<>]*>")
_TAG = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)
_SITE = """<!doctype html><html><head><title>Handbook</title><style>a {color: red}</style></head>
<body><div class="banner">We use cookies. <button>Accept all</button></div>
<header><a href="/">Handbook</a> <input placeholder="Search"> <a href="/login">Log in</a></header>
<div class="breadcrumbs"><a href="/">Home</a> / <a href="/guides">Guides</a></div>
<nav><ul><li><a href="a.html">Start here</a></li><li><a href="b.html">Imprint</a></li></ul></nav>
<main>%s</main><aside><h4>On this page</h4><ul>%s</ul></aside>
<footer><a href="edit">Edit this page</a><p>Copyright 2026, all rights reserved</p></footer>
</body></html>"""
_OPENDOCUMENT = """<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
xmlns:g="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><o:body><o:text>%s</o:text></o:body>
</o:document-content>"""


class Block(NamedTuple):
    """A heading ("h2"), a paragraph, code or an item of `depth` lists ("p"), or a table."""

    kind: str
    text: str
    depth: int = 0
    rows: Sequence[Sequence[str]] = ()


def blocks_of(markdown: str) -> Iterator[Block]:
    kind, depth, rows = "p", 0, list[list[str]]()
    for token in _PARSER.parse(markdown):
        depth += token.nesting * (token.tag in {"ul", "ol"})
        if token.type in {"heading_open", "paragraph_open"}:
            kind = token.tag
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            yield Block("table", "", rows=rows)
            rows = []
        elif token.type in {"fence", "code_block"}:
            yield Block("p", token.content)
        elif token.type == "html_block":
            yield Block("p", _TAG.sub(" ", token.content))
        elif token.type == "inline":
            inner = [each for each in token.children or () if each.type != "html_inline"]
            text = "".join(each.content or " " * (each.type == "softbreak") for each in inner)
            if rows:
                rows[-1].append(text)
            else:
                yield Block(kind, text, depth)


def text_of(markdown: str) -> str:
    """All that a person reads on the page."""
    blocks = [*blocks_of(markdown)]
    cells = (cell for block in blocks for row in block.rows for cell in row)
    return "\n".join([*(block.text for block in blocks), *cells])


def _html(markdown: str, path: Path) -> None:
    heads = (escape(block.text) for block in blocks_of(markdown) if block.kind == "h2")
    contents = "".join(f'<li><a href="#{head}">{head}</a></li>' for head in heads)
    path.write_text(_SITE % (_PARSER.render(markdown), contents), encoding="utf-8")


def _docx(markdown: str, path: Path) -> None:
    document, notes = Document(), list[str]()
    document.sections[0].footer.paragraphs[0].text = "Handbook, page 1"
    for kind, text, depth, rows in blocks_of(markdown):
        if rows:
            table = document.add_table(len(rows), len(rows[0]))
            _fill(table._cells, rows)
            continue
        listed = ("Normal", "List Bullet", "List Bullet 2", "List Bullet 3")[min(depth, 3)]
        paragraph = document.add_paragraph(style=listed if kind == "p" else f"Heading {kind[1]}")
        for at, piece in enumerate(_NOTE.split(text)):
            run = paragraph.add_run("" if at % 2 else piece)
            if at % 2:
                number = f'w:id="{len(notes)}"'
                run._r.append(parse_xml(f"<w:footnoteReference {nsdecls('w')} {number}/>"))
                said = f"<w:p><w:r><w:t>{escape(piece)}</w:t></w:r></w:p>"
                notes.append(f"<w:footnote {number}>{said}</w:footnote>")
    blob = f"<w:footnotes {nsdecls('w')}>{''.join(notes)}</w:footnotes>".encode()
    name, package = PackURI("/word/footnotes.xml"), document.part.package
    part = Part(name, CONTENT_TYPE.WML_FOOTNOTES, blob, package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    document.save(str(path))


def _pptx(markdown: str, path: Path) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    for kind, text, depth, rows in blocks_of(markdown):
        if kind[0] == "h":
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = text
        elif rows:
            box = map(Inches, (1, 4, 8, 2))
            table = slide.shapes.add_table(len(rows), len(rows[0]), *box).table
            _fill(table.iter_cells(), rows)
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
    for kind, text, depth, rows in blocks_of(markdown):
        if kind[0] == "h":
            body += f'<t:h t:outline-level="{kind[1]}">{escape(text)}</t:h>'
        lists = "<t:list><t:list-item>" * depth, "</t:list-item></t:list>" * depth
        body += paragraph(text).join(lists) if kind == "p" else ""
        cells = [[f"<g:table-cell>{paragraph(cell)}</g:table-cell>" for cell in r] for r in rows]
        lines = (f"<g:table-row>{''.join(row)}</g:table-row>" for row in cells)
        body += f"<g:table>{''.join(lines)}</g:table>" if rows else ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", _OPENDOCUMENT % body)


class _Sheets(FPDF):
    """Pages with a running head and their numbers."""

    def header(self) -> None:
        self.set_font("helvetica", size=8)
        self.cell(text="Handbook", new_x="LMARGIN", new_y="NEXT")

    def footer(self) -> None:
        self.set_y(-15)
        self.cell(text=f"Page {self.page_no()}", align="C")


def _pdf(markdown: str, path: Path) -> None:
    """Its font has Latin letters alone."""
    pdf, page = _Sheets(), _INLINE.sub("", _PARSER.render(markdown))
    pdf.add_page()
    pdf.write_html(page.encode("latin-1", "replace").decode("latin-1"))
    pdf.output(str(path))


WRITERS = {".html": _html, ".docx": _docx, ".pptx": _pptx, ".odt": _odt, ".pdf": _pdf}
