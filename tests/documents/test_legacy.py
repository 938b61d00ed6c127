"""Old Office formats, from files that these tests write byte by byte."""

import struct
from pathlib import Path

import pytest
from compound_file import compound
from document_files import save
from whole_document import read_document

from state.errors import DocumentError


def word(pieces: list[tuple[str, bool]], flags: int = 0x0200, version: int = 0xC1) -> bytes:
    """A DOC of pieces of text, each compressed (one byte a character) or not."""
    main = bytearray(0x400)
    struct.pack_into("<HHI", main, 0, 0xA5EC, version, 0)
    struct.pack_into("<H", main, 10, flags)
    positions, descriptors = [0], b""
    for text, compressed in pieces:
        offset = len(main)
        main += text.encode("cp1252" if compressed else "utf-16-le")
        place = offset * 2 | 0x40000000 if compressed else offset
        descriptors += struct.pack("<HIH", 0, place, 0)
        positions.append(positions[-1] + len(text))
    body = struct.pack(f"<{len(positions)}I", *positions) + descriptors
    table = b"\x01\x02\x00zz\x02" + struct.pack("<I", len(body)) + body
    struct.pack_into("<2i", main, 0x4C, positions[-1], 0)
    struct.pack_into("<2I", main, 0x1A2, 0, len(table))
    return compound({"WordDocument": bytes(main), "1Table": table})


def test_doc(tmp_path: Path) -> None:
    pieces = [
        ("The depot café\rSee \x13 HYPERLINK \x14the map\x15.\r", True),
        ("Αθήνα\ra\x07b\x07\x07", False),
    ]
    document = read_document(save(tmp_path, "a.doc", word(pieces)), "a.doc")
    assert document.format == "doc"
    assert document.text == "The depot café\nSee the map.\nΑθήνα\na | b\n"


def test_a_locked_old_or_broken_doc_says_so(tmp_path: Path) -> None:
    text = [("words\r", True)]
    for content, reason in [
        (word(text, flags=0x0300), "encrypted Word document"),
        (word(text, version=0x65), "Word 95 or older"),
        (word(text).replace(b"\x01\x02\x00zz\x02", b"\x07" * 6), "damaged Word document"),
        (word(text)[:700], "damaged"),
    ]:
        with pytest.raises(DocumentError, match=reason):
            read_document(save(tmp_path, "a.doc", content), "a.doc")


def record(kind: int, body: bytes, version: int = 0, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(body)) + body


def test_ppt_slides_are_pages(tmp_path: Path) -> None:
    start = record(0x03F3, b"\0" * 20)
    title = record(0x0F9F, struct.pack("<I", 0))
    outline = (
        start + title + record(0x0FA0, "Timetable".encode("utf-16-le"))
        + start + record(0x0F9F, struct.pack("<I", 1)) + record(0x0FA8, b"Early\rLate")
    )  # fmt: skip
    listed = record(0x0FF0, outline, 15) + record(0x0FF0, record(0x0FA8, b"master"), 15, 1)
    slides = record(0x03EE, record(0x0FA8, b"On one"), 15) + record(0x03EE, b"", 15)
    notes = record(0x03F0, record(0x0FA8, b"a note"), 15)
    stream = record(0x03E8, listed, 15) + slides + notes
    content = compound({"PowerPoint Document": stream, "Current User": b"\0" * 20})
    document = read_document(save(tmp_path, "a.ppt", content), "a.ppt")
    assert document.text == "# Timetable\n\nOn one\n\nEarly\nLate\n\n"
    assert [page.number for page in document.pages] == [1, 2]
    assert document.title == "Timetable"
    nested = b""
    for _ in range(200):
        nested = record(0x03E8, nested, 15)
    deep = compound({"PowerPoint Document": nested})
    with pytest.raises(DocumentError, match="nested too deeply"):
        read_document(save(tmp_path, "b.ppt", deep), "b.ppt")


def biff(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def test_xls(tmp_path: Path) -> None:
    def text(row: int, column: int, value: str) -> bytes:
        encoded = value.encode("utf-16-le")
        return biff(0x0204, struct.pack("<3HHB", row, column, 0, len(value), 1) + encoded)

    end = biff(0x0A)
    sheet = biff(0x0809, struct.pack("<4H2I", 0x0600, 0x10, 0, 0, 0, 0))
    sheet += text(0, 0, "Engine") + text(0, 1, "Power") + text(1, 0, "Zoë")
    sheet += biff(0x0203, struct.pack("<3Hd", 1, 1, 0, 40.0)) + end
    start = biff(0x0809, struct.pack("<4H2I", 0x0600, 0x05, 0, 0, 0, 0))
    name = b"Stock"
    bound = 4 + 4 + 2 + 2 + len(name)
    place = len(start) + bound + len(end)
    book = start + biff(0x85, struct.pack("<IHBB", place, 0, len(name), 0) + name) + end + sheet
    path = save(tmp_path, "a.xls", compound({"Workbook": book}))
    assert read_document(path, "a.xls").text == "# Stock\n\nEngine | Power\nZoë | 40\n\n"


def message(**properties: str) -> bytes:
    streams = {"__properties_version1.0": b""}
    for key, value in properties.items():
        streams[f"__substg1.0_{key[1:]}001F"] = value.encode("utf-16-le")
    return compound(streams)


def test_msg(tmp_path: Path) -> None:
    content = message(p0037="Züge", p0C1A="Ada", p1000="Body words\r\nmore")
    document = read_document(save(tmp_path, "a.msg", content), "a.msg")
    assert document.title == "Züge"
    assert document.text == "From: Ada\nSubject: Züge\n\nBody words\nmore"
    locked = message(p0037="s", p001A="IPM.Note.SMIME")
    with pytest.raises(DocumentError, match="encrypted message"):
        read_document(save(tmp_path, "b.msg", locked), "b.msg")
