"""Writes the PDF and DOCX files of sample_corpus/, byte for byte the same each time.

Run by hand after a change: python tests/support/make_sample_corpus.py
Each text is a list of blocks: "# " heading, "## " smaller heading, "- " list item, a list of
rows is a table, "\f" a page break, anything else a paragraph.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from docx import Document
from fpdf import FPDF
from sample_corpus_texts import DOCX_TEXTS, PDF_TEXTS, Block

ROOT = Path(__file__).parents[2] / "sample_corpus"
MADE = datetime(2024, 6, 1, tzinfo=UTC)


def pdf_bytes(title: str, blocks: Sequence[Block]) -> bytes:
    pdf = FPDF(format="A4")
    pdf.set_creation_date(MADE)
    pdf.set_title(title)
    pdf.set_margin(22)
    pdf.set_auto_page_break(auto=True, margin=22)
    pdf.add_page()
    for block in blocks:
        if isinstance(block, list):
            pdf.set_font("Helvetica", size=9)
            with pdf.table(first_row_as_headings=True) as table:
                for row in block:
                    table.row(row)
            pdf.ln(4)
        elif block == "\f":
            pdf.add_page()
        else:
            style, size, text = _pdf_style(block)
            pdf.set_font("Helvetica", style, size)
            pdf.multi_cell(0, size * 0.52, text, new_x="LMARGIN", new_y="NEXT")
            pdf.ln(2.2)
    return bytes(pdf.output())


def _pdf_style(block: str) -> tuple[str, int, str]:
    if block.startswith("## "):
        return "B", 12, block[3:]
    if block.startswith("# "):
        return "B", 16, block[2:]
    return "", 10, block


def docx_bytes(title: str, blocks: Sequence[Block]) -> bytes:
    document = Document()
    document.core_properties.title = title
    document.core_properties.author = "Tarrenfell Mountain Railway"
    document.core_properties.created = document.core_properties.modified = MADE
    for block in blocks:
        if isinstance(block, list):
            table = document.add_table(rows=0, cols=len(block[0]))
            table.style = "Table Grid"
            for row in block:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
        elif block.startswith("## "):
            document.add_heading(block[3:], level=2)
        elif block.startswith("# "):
            document.add_heading(block[2:], level=1)
        elif block.startswith("- "):
            document.add_paragraph(block[2:], style="List Bullet")
        else:
            document.add_paragraph(block)
    packed = io.BytesIO()
    document.save(packed)
    return _without_times(packed.getvalue())


def _without_times(packed: bytes) -> bytes:
    clean = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(clean, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: (name[0] != "[", name)):
            info = zipfile.ZipInfo(name, date_time=MADE.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return clean.getvalue()


def main() -> None:
    for name, (title, blocks) in PDF_TEXTS.items():
        (ROOT / name).write_bytes(pdf_bytes(title, blocks))
    for name, (title, blocks) in DOCX_TEXTS.items():
        (ROOT / name).write_bytes(docx_bytes(title, blocks))


if __name__ == "__main__":
    main()
