"""Files that the tests of readers make."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path


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
