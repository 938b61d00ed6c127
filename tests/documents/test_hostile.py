"""Hostile files: each is refused with a true reason or read as far as it goes, in bounded time."""

import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from document_files import make_pdf, raw_pdf, save, zipped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_time import within
from whole_document import read_document

from rag.documents.formats import SUFFIXES
from rag.documents.registry import open_document
from rag.documents.stream import Limits, Part, Reading, clean_parts
from rag.index.protocol import UnreadFile
from rag.ingest.file_text import FileText, ReadTask
from rag.ingest.pool import read_files
from state.errors import DocumentError, UnsupportedFormatError

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def refusal(path: Path, limits: Limits | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        read_document(path, limits or Limits())
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("a.docx", "word/document.xml"),
        ("a.pptx", "ppt/presentation.xml"),
        ("a.xlsx", "xl/workbook.xml"),
        ("a.odt", "content.xml"),
        ("a.epub", "META-INF/container.xml"),
    ],
)
def test_a_zip_bomb_is_not_unpacked(tmp_path: Path, name: str, member: str) -> None:
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, "<x>" + " " * (40 << 20) + "</x>")
    assert path.stat().st_size < 1 << 20
    with within(30):
        assert "expands to more than" in refusal(path)


def test_many_parts_are_a_bomb_too(tmp_path: Path) -> None:
    members = {"word/document.xml": "<x/>"} | {f"word/{n}.xml": "" for n in range(50)}
    path = zipped(tmp_path / "a.docx", members)
    assert refusal(path, Limits(members=20)) == "more than 20 parts in the file"


def test_a_directory_that_lies_about_sizes_is_damage(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.docx", {"word/document.xml": "<x>" + "a" * 100_000 + "</x>"})
    data = path.read_bytes().replace((100_007).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(data)
    assert refusal(path).startswith("damaged")


LAUGHS = "".join(f'<!ENTITY {c} "{f"&{p};" * 10}">' for p, c in pairwise("abcdefghij"))
LAUGHS = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "haha">{LAUGHS}]>'


def said(path: Path) -> str:
    """The text, or why there is none."""
    try:
        return read_document(path).text
    except DocumentError as error:
        return error.message


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    body = f"<w:document {WORD}><w:body><w:p><w:r><w:t>Say &j; so</w:t></w:r></w:p></w:body>"
    docx = zipped(tmp_path / "a.docx", {"word/document.xml": LAUGHS + body + "</w:document>"})
    assert len(said(docx)) < 1000
    one = '<!DOCTYPE d [<!ENTITY j "lol">]>'
    docx = zipped(tmp_path / "b.docx", {"word/document.xml": one + body + "</w:document>"})
    assert said(docx).split() == ["Say", "so"]  # what stands behind an entity is no part of it
    secret = save(tmp_path, "secret.txt", "the secret")
    outside = f'<!DOCTYPE d [<!ENTITY j SYSTEM "file://{secret}">]>'
    docx = zipped(tmp_path / "d.docx", {"word/document.xml": outside + body + "</w:document>"})
    assert said(docx).split() == ["Say", "so"]
    docx = zipped(tmp_path / "c.docx", {"word/document.xml": body + "</w:document>"})
    assert "Entity 'j' not defined" in said(docx)
    assert "(document.xml," in said(docx)


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    nested = "<x>" * 300 + "deep" + "</x>" * 300
    for path in (
        zipped(tmp_path / "b.docx", {"word/document.xml": nested}),
        save(tmp_path, "a.ipynb", "[" * 100_000 + "]" * 100_000),
    ):
        assert re.search("deep|^damaged", refusal(path))


def test_deep_html_does_not_crash(tmp_path: Path) -> None:
    page = "<p>Top words</p>" + "<div>" * 50_000 + "bottom"
    document = read_document(save(tmp_path, "a.html", page))
    assert "Top words" in document.text
    assert document.warnings


@pytest.mark.parametrize("share", [0.1, 0.99])
def test_a_truncated_office_file_is_damaged(tmp_path: Path, share: float) -> None:
    from docx import Document as Word

    path = tmp_path / "a.docx"
    word = Word()
    word.add_paragraph("words " * 500)
    word.save(str(path))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert refusal(path).startswith("damaged docx file")


def test_a_damaged_side_part_does_not_lose_the_document(tmp_path: Path) -> None:
    from pptx import Presentation

    deck = Presentation()
    for text in ("First slide", "Second slide"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = text
    path = tmp_path / "a.pptx"
    deck.save(str(path))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name).decode("latin-1") for name in archive.namelist()}
    members["docProps/core.xml"] = "<broken"
    members["ppt/slides/slide1.xml"] = "<broken"
    zipped(path, members)
    document = read_document(path)
    assert document.text == "# Second slide\n\n"
    assert document.pages == [2]
    assert len(document.warnings) == 2


def test_files_under_a_false_name_are_named_for_what_they_are(tmp_path: Path) -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    locked = old + "EncryptedPackage".encode("utf-16-le")
    said = refusal(save(tmp_path, "a.docx", locked))
    assert said == "encrypted Office document: needs a password"
    assert refusal(save(tmp_path, "a.xls", old)).startswith("damaged xls file")
    png = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
    for name, content, reason in [
        ("a.thmx", old, "save it as .docx"),
        ("a.doc", old, "save it as .docx"),
        ("a.rtf", b"{\\rtf1 rich}", "save it as .docx"),
        ("a.zip", b"PK\x05\x06" + b"\0" * 18, "unpack it"),
        ("a.tar.gz", b"\x1f\x8b\x08" + b"\0" * 18, "unpack it"),
        ("a.bin", bytes(range(256)) * 8, r"no reader.*\.bin"),
    ]:
        with pytest.raises(UnsupportedFormatError, match=reason):
            read_document(save(tmp_path, name, content))
    assert refusal(save(tmp_path, "d.png", png)) == "damaged picture"
    assert refusal(save(tmp_path, "b.docx", bytes(range(256)) * 8)).startswith("damaged docx")
    assert refusal(save(tmp_path, "c.txt", bytes(range(256)) * 8)).startswith("binary data")
    assert refusal(save(tmp_path, "c.pdf", b"%PDF-1.7\n" + b"\0" * 900)).startswith("damaged pdf")


def workbook(path: Path, cells: Mapping[str, object]) -> Path:
    from openpyxl import Workbook

    book = Workbook()
    for place, value in cells.items():
        book.worksheets[0][place] = value
    book.save(path)
    return path


def test_a_wide_sheet_stops_at_the_limit(tmp_path: Path) -> None:
    rows = {f"{column}{row}": row for row in range(1, 51) for column in "ABCDEFGHIJ"}
    path = workbook(tmp_path / "a.xlsx", rows | {"ZZ60": "far away"})
    document = read_document(path, Limits(cells=200))
    assert document.warnings == ("only some 200 cells were read",)


def test_a_sheet_whose_cells_lie_too_far_apart_costs_its_own_file(tmp_path: Path) -> None:
    paths = workbook(tmp_path / "a.xlsx", {"A1": 1, "XFD1048576": 2}), save(tmp_path, "b.md", "b")
    tasks = [ReadTask(str(each), 1, each.name, str(tmp_path)) for each in paths]
    with read_files(tasks, workers=1) as outcomes:
        read = [each for each in outcomes if each is not None]
    assert [type(each) for each in read] == [UnreadFile, FileText]


def test_pages_past_the_limit_are_left_out_and_said(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["one", "two", "three"])
    document = read_document(path, Limits(pages=2))
    assert "three" not in document.text
    assert document.warnings == ("only the first 2 of 3 pages were read",)


def test_html_spans_cannot_blow_up_a_table(tmp_path: Path) -> None:
    row = "<tr><td colspan=99999999 rowspan=99999999>a</td><td>b</td></tr>"
    page = f"<table>{row * 200}</table>"
    assert len(read_document(save(tmp_path, "a.html", page)).text) < 2_000_000
    digits = f"<table><tr><td colspan={'9' * 5000}>a<td>b<tr><td>c<td>d</table>"
    assert read_document(save(tmp_path, "b.html", digits)).text == "a | b\nc | d\n"


def ended_by(error: BaseException, tmp_path: Path) -> list[Part]:
    """What is read of a document whose reader fails behind its first part."""

    def fails() -> Iterator[Part]:
        yield Part("some\n")
        raise error

    return list(clean_parts(fails(), Reading(tmp_path, "text", Limits())))


class Panic(BaseException):
    """As a parser written in Rust raises."""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RecursionError(), "nested too deeply"),
        (MemoryError(), "needs more memory than there is"),
        (OSError(5, "Input/output error"), "cannot be read: Input/output error"),
        (OSError("failed to fill whole buffer"), "damaged text file: failed to fill whole buffer"),
        (KeyError("x\x1b[31m\ny"), "damaged text file: "),
        (Panic("index out of bounds"), "damaged text file: index out of bounds"),
    ],
)
def test_no_foreign_exception_escapes(tmp_path: Path, error: BaseException, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        ended_by(error, tmp_path)
    assert caught.value.message.startswith(reason)
    assert "\x1b" not in caught.value.message


def test_what_ends_the_program_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        ended_by(KeyboardInterrupt(), tmp_path)


def test_an_unreadable_file_and_a_pipe_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    assert refusal(pipe) == "not a regular file"
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    assert refusal(tmp_path / "loop.txt").startswith("cannot be read")
    assert refusal(tmp_path) == refusal(Path("/dev/zero")) == "not a regular file"
    assert "No such file" in refusal(tmp_path / "gone.txt")


def test_an_abandoned_stream_lets_go_of_its_file(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["one", "two"])
    with open_document(path) as stream:
        next(stream.parts)
    # Another thread may close one of its own meanwhile: realpath raises nothing then.
    held = [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
    assert os.path.realpath(path) not in held


CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\r]")
_START = {
    ".pdf": b"%PDF-1.4\n1 0 obj\n<<",
    ".html": b"<html><table><td>",
    ".eml": b"From: a\nContent-Type: multipart/mixed; boundary=B\n\n--B\n",
    ".ipynb": b'{"cells": [{"cell_type": "code", "source": ',
    ".csv": b'a,b\n"',
}


@settings(suppress_health_check=list(HealthCheck))
@given(suffix=st.sampled_from(sorted(SUFFIXES)), data=st.binary(max_size=1000))
def test_rubbish_under_any_name_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("rubbish") / f"a{suffix}"
    path.write_bytes(_START.get(suffix, b"") + data)
    try:
        text = read_document(path).text
    except DocumentError:
        return
    assert text.strip()
    assert not CONTROLS.search(text)


def test_a_pdf_that_claims_pages_which_it_lacks_names_few_of_them(tmp_path: Path) -> None:
    said = "BT /F 12 Tf 10 50 Td (The pump room) Tj ET"
    claimed = raw_pdf(said, "<</Type/Pages/Kids[3 0 R]/Count 500>>")
    document = read_document(save(tmp_path, "a.pdf", claimed))
    assert document.text == "The pump room\n"
    (warning,) = document.warnings
    assert warning.startswith("pages 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 489 more cannot be read: ")
