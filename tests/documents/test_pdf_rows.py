"""PDF: the cells of a table's row stand on one line, and prose stays as it is."""

from __future__ import annotations

from pathlib import Path

from document_files import make_pdf, save
from whole_document import read_document

from rag.documents.pdf_rows import may_hold_rows, with_rows

BERTHS = [("Berth", "Length", "Holder"), ("B1", "7.5", "Bo Orr"), ("B2", "8.5", "Cy Day")]
PROSE = (
    "The harbour was dredged in spring and",
    "the new slipway opened a week later",
    "as planned.",
)


def page_of(texts: list[tuple[int, int, str]]) -> bytes:
    """A PDF of one page that holds texts at their places, each shown and ended by itself."""
    drawn = "".join(f"BT /F1 10 Tf 12 TL 1 0 0 1 {x} {y} Tm ({t}) Tj T* ET\n" for x, y, t in texts)
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources 6 0 R>>",
        f"<</Length {len(drawn)}>>stream\n{drawn}endstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Font<</F1 5 0 R>>>>",
    )
    numbered = "".join(f"{number} 0 obj{each}endobj\n" for number, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{numbered}trailer<</Root 1 0 R>>\n".encode()


def test_the_cells_of_a_row_stand_on_one_line(tmp_path: Path) -> None:
    texts = [(50, 760, PROSE[0]), (50, 748, PROSE[1])]
    for number, cells in enumerate(BERTHS):
        texts += [(50 + 120 * n, 700 - 20 * number, cell) for n, cell in enumerate(cells)]
    texts.append((50, 600, PROSE[2]))
    text = read_document(save(tmp_path, "a.pdf", page_of(texts)), "a.pdf").text
    rows = ["Berth | Length | Holder", "B1 | 7.5 | Bo Orr", "B2 | 8.5 | Cy Day"]
    assert text.split("\n") == [*PROSE[:2], *rows, PROSE[2], ""]


def test_columns_of_prose_are_read_one_after_the_other(tmp_path: Path) -> None:
    lines = [f"line {n} of a narrow column" for n in range(24)]
    texts = [(50 + 250 * (n // 12), 760 - 12 * (n % 12), line) for n, line in enumerate(lines)]
    text = read_document(save(tmp_path, "a.pdf", page_of(texts)), "a.pdf").text
    assert text.split("\n")[:-1] == lines
    plain = read_document(make_pdf(tmp_path / "b.pdf", ["\n".join(PROSE * 9)]), "b.pdf").text
    assert plain.split("\n")[:-1] == [*PROSE * 9]


def test_no_word_moves_and_a_few_rows_are_left() -> None:
    rows = [f"a{n}\nb{n}" for n in range(5)]
    laid_out = "".join(f"a{n}     b{n}\n" for n in range(5))
    text = "\n".join(["Head", *rows, "Tail"])
    assert may_hold_rows(text)
    joined = with_rows(text, laid_out)
    assert joined == "Head\na0 | b0\na1 | b1\na2 | b2\na3 | b3\na4 | b4\nTail"
    assert joined.replace(" | ", "\n") == text
    for few in ("Head\na0\nb0\na1\nb1\nTail", "a0\nb1\na1\nb2\na2\nb3\n", ""):
        assert with_rows(few, laid_out) == few
    assert not may_hold_rows("\n".join(PROSE[:2] * 20).replace("and", "and then, at last,"))
