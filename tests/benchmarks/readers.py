"""Word recall and precision of the readers: Markdown written as other formats, and read again.

    python tests/benchmarks/readers.py DIR

Of 40 Markdown files below DIR every heading, paragraph, item, row and code is written with
python-docx, python-pptx, fpdf2, zipfile (odt) and as HTML with a menu around it, whose words are to
be left out. Recall is how many of the words written are read, precision how many of those read
were written, both as multisets. Such files are as plain as programs write them.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from html import escape
from itertools import islice
from pathlib import Path
from zipfile import ZipFile

from rag.documents.registry import open_document

FILES = 40
Blocks = list[tuple[str, str]]
"""Kind (an HTML tag) and words."""

_KINDS = {"heading_open": "h2", "paragraph_open": "p", "list_item_open": "li", "tr_open": "tr"}
_WORD = re.compile(r"\w+")
_MENU = "".join(f'<li><a href="/{n}">Menuword {n}</a></li>' for n in ("home", "search", "login"))
_OPEN = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
_TEXT = 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
_TABLE = 'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
_ODT = {
    "h2": '<text:h text:outline-level="2">{}</text:h>',
    "li": "<text:list><text:list-item><text:p>{}</text:p></text:list-item></text:list>",
}


def blocks_of(markdown: str) -> Blocks:
    """As CommonMark's own parser finds them; marks within a line are taken off."""
    from markdown_it import MarkdownIt

    kind, row, found = "p", list[str](), Blocks()
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        kind = (
            _KINDS.get(token.type, kind) if kind != "li" or token.type != "paragraph_open" else kind
        )
        if token.type in {"fence", "code_block"}:
            found.append(("pre", token.content))
        elif token.type == "inline":
            words = "".join(
                c.content for c in token.children or () if c.type in {"text", "code_inline"}
            )
            if kind == "tr":
                row.append(words)
            else:
                found.append((kind, words))
        elif token.type == "tr_close":
            found.append(("tr", "\t".join(row)))
            row, kind = [], "p"
        elif token.type.endswith("_close"):
            kind = "p"
    return [(k, re.sub(r"[^\x20-\x7e\n\t]", "", words)) for k, words in found if words.strip()]


def html(path: Path, blocks: Blocks) -> None:
    tags = {"tr": "<table><tr><td>{}</td></tr></table>", "li": "<ul><li>{}</li></ul>"}
    shown = (
        tags.get(kind, f"<{kind}>{{}}</{kind}>").format(escape(words).replace("\t", "</td><td>"))
        for kind, words in blocks
    )
    menu = f"<nav><ul>{_MENU}</ul></nav>"
    path.write_text(
        f"<html><body>{menu}<main>{''.join(shown)}</main><footer><ul>{_MENU}</ul></footer>"
    )


def docx(path: Path, blocks: Blocks) -> None:
    from docx import Document

    word = Document()
    for kind, words in blocks:
        if kind == "tr":
            cells = words.split("\t")
            table = word.add_table(rows=1, cols=len(cells))
            for cell, text in zip(table.rows[0].cells, cells, strict=True):
                cell.text = text
        elif kind == "h2":
            word.add_heading(words, 2)
        else:
            word.add_paragraph(words, style="List Bullet" if kind == "li" else None)
    word.save(str(path))


def pptx(path: Path, blocks: Blocks) -> None:
    from pptx import Presentation

    deck = Presentation()
    remaining = iter(blocks)
    while some := list(islice(remaining, 6)):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = some[0][1]
        slide.placeholders[1].text = "\n".join(words for _, words in some[1:])
    deck.save(str(path))


def odt(path: Path, blocks: Blocks) -> None:
    shown = (
        _ODT.get(kind, "<text:p>{}</text:p>").format(escape(words).replace("\t", "<text:tab/>"))
        for kind, words in blocks
    )
    body = f"<office:body><office:text>{''.join(shown)}</office:text></office:body>"
    with ZipFile(path, "w") as archive:
        archive.writestr(
            "content.xml", f"<office:document {_OPEN} {_TEXT} {_TABLE}>{body}</office:document>"
        )


def pdf(path: Path, blocks: Blocks) -> None:
    from fpdf import FPDF

    paper = FPDF()
    paper.add_page()
    for kind, words in blocks:
        paper.set_font("Courier" if kind == "pre" else "Helvetica", size=16 if kind == "h2" else 11)
        paper.multi_cell(0, 6, words, new_x="LMARGIN", new_y="NEXT")
        paper.ln(3)
    paper.output(str(path))


WRITERS: dict[str, Callable[[Path, Blocks], None]] = {
    "html": html, "docx": docx, "pptx": pptx, "odt": odt, "pdf": pdf
}  # fmt: skip


def main(folder_of_files: str) -> None:
    files = sorted(Path(folder_of_files).rglob("*.md"))
    files = files[:: max(len(files) // FILES, 1)][:FILES]
    sums = {name: Counter[str]() for name in WRITERS}
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            blocks = blocks_of(file.read_text(errors="replace"))
            written = Counter(_WORD.findall(" ".join(words for _, words in blocks).lower()))
            for name, write in WRITERS.items() if written else ():
                path = Path(folder) / f"a.{name}"
                write(path, blocks)
                with open_document(path) as stream:
                    text = "".join(part.text for part in stream.parts)
                read = Counter(_WORD.findall(text.lower()))
                sums[name] += Counter(
                    same=(read & written).total(), read=read.total(), written=written.total()
                )
    for name, sum_ in sums.items():
        recall, precision = sum_["same"] / sum_["written"], sum_["same"] / sum_["read"]
        print(f"{name:5} recall {recall:.3f}  precision {precision:.3f}  words {sum_['written']:,}")


if __name__ == "__main__":
    main(sys.argv[1])
