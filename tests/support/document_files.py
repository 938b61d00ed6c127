"""Files that tests make."""

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    """The folder, which now holds these."""
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def save(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(path: Path, members: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def make_pdf(path: Path, pages: list[str], *, title: str = "Yard book", **options: object) -> Path:
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_title(title)
    pdf.set_font("helvetica", size=12)
    for text in pages:
        pdf.add_page()
        if text:
            pdf.multi_cell(0, 8, text)
    if options:
        pdf.set_encryption(**options)  # type: ignore[arg-type]
    pdf.output(str(path))
    return path


def raw_pdf(drawn: str, pages: str) -> bytes:
    """One page with these drawings, without a table of places; `pages` may claim to be more."""
    font = "<</Type/Font/Subtype/Type1/BaseFont/Courier>>"
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        pages,
        f"{page}/Resources<</Font<</F {font}>>>>>>",
        f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream\n",
    )
    numbered = "".join(f"{n} 0 obj{each}endobj\n" for n, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{numbered}trailer<</Root 1 0 R>>\n".encode()


def binary_workbook(path: Path, rows: Sequence[tuple[str, float]]) -> Path:
    """An XLSB of one sheet, "Stock"."""
    relation = '<Relationship Id="rId1" Target="worksheets/sheet1.bin" Type="worksheet"/>'
    whole = '<Relationship Id="rId1" Target="xl/workbook.bin" Type="officeDocument"/>'
    bundle = struct.pack("<II", 0, 1) + _wide("rId1") + _wide("Stock")
    sheet = _record(0x0194, struct.pack("<4I", 0, 0, 0, 1)) + _record(0x0191)
    for number, (name, power) in enumerate(rows):
        sheet += _record(0x00, struct.pack("<I", number) + bytes(21))
        sheet += _record(0x06, struct.pack("<II", 0, 0) + _wide(name))
        sheet += _record(0x05, struct.pack("<IId", 1, 0, power))
    members: dict[str, str | bytes] = {
        "_rels/.rels": f"<Relationships>{whole}</Relationships>",
        "xl/_rels/workbook.bin.rels": f"<Relationships>{relation}</Relationships>",
        "xl/workbook.bin": b"".join(
            [_record(0x018F), _record(0x019C, bundle), _record(0x0190), _record(0x019D)]
        ),
        "xl/worksheets/sheet1.bin": sheet + _record(0x0192),
    }
    return zipped(path, members)


def _record(kind: int, body: bytes = b"") -> bytes:
    """A record of a binary workbook; its kind is written in one byte or two."""
    return kind.to_bytes(1 if kind < 0x80 else 2, "little") + bytes([len(body)]) + body


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")
