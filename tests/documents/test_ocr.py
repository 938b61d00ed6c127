"""Scans and pictures: read off, in order, bounded, marked; and what is said without the extra."""

import json

import pytest
from bare_process import without
from crag import ROOT, crag, shell
from document_files import written
from PIL import Image, ImageDraw, ImageFont
from whole_document import read_document as read

from rag.documents.stream import Limits
from state.errors import DocumentError, UnsupportedFormatError

LEAVES = "The last ferry to Skomer leaves at 16:40."
NOTICE = ["Ferry timetable", LEAVES, "Dogs travel free of charge."]


def picture(lines: list[str], size: tuple[int, int] = (800, 736)) -> Image.Image:
    """Not much wider than high: the recognizer makes the shorter side 736 pixels long."""
    image = Image.new("RGB", size, "white")
    font = ImageFont.load_default(36)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((40, 40 + 80 * number), line, fill="black", font=font)
    return image


def test_pages_of_a_scan_are_read_and_pages_with_text_are_not_drawn(tmp_path):
    path = tmp_path / "scan.pdf"
    first, second = picture(NOTICE), picture(["Appendix: lost property", "Ask at the pier."])
    first.save(path, save_all=True, append_images=[second], resolution=300)
    document = read(path)
    assert "leaves at 16:40" in document.text
    assert document.page_of("lost property") == 2
    assert document.pages == [1, 2]
    assert document.warnings == ()


def test_a_transparent_picture_is_read_on_white(tmp_path):
    plain = picture(NOTICE).convert("L")
    clear = Image.new("RGBA", plain.size, (0, 0, 0, 0))
    clear.putalpha(plain.point(lambda value: 255 - value))
    clear.save(tmp_path / "a.webp", lossless=True)
    document = read(tmp_path / "a.webp")
    assert [each for each in document.text.splitlines() if each] == NOTICE  # with its spaces


def test_a_photograph_is_turned_as_its_camera_says(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    picture(NOTICE).rotate(90, expand=True).save(tmp_path / "a.jpg", exif=exif)
    assert "Dogs travel free" in read(tmp_path / "a.jpg").text


def test_a_picture_of_too_many_pixels_is_not_unpacked(tmp_path):
    Image.new("1", (3000, 3000)).save(tmp_path / "bomb.png")
    with pytest.raises(DocumentError, match="3000 by 3000 pixels, at most 1 million"):
        read(tmp_path / "bomb.png", Limits(pixels=1_000_000))


def test_an_icon_and_a_line_hold_no_text(tmp_path):
    for size in ((16, 16), (9000, 8)):
        Image.new("RGB", size, "red").save(tmp_path / "icon.png")
        with pytest.raises(UnsupportedFormatError, match="holds no text"):
            read(tmp_path / "icon.png")


def test_only_so_many_scanned_pages_are_read(tmp_path):
    pages = [picture(["Ferry timetable"], (400, 400)) for _ in range(3)]
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:])
    document = read(tmp_path / "a.tif", Limits(pages=2))
    assert document.pages == [1, 2]
    assert document.warnings == ("only the first 2 of 3 pages were read",)


def test_what_stands_beside_each_other_is_a_line(tmp_path):
    image = picture(["Adult", "Child"])
    ImageDraw.Draw(image).text((600, 45), "12.00", fill="black", font=ImageFont.load_default(36))
    image.save(tmp_path / "fares.png")
    assert read(tmp_path / "fares.png").text == "Adult | 12.00\nChild\n"


def test_without_the_extra_one_line_says_what_waits_and_with_it_that_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.ingest.pool.usable_cores", lambda: 1)  # the recognizer is read once
    files = written(tmp_path / "files", {"a.md": "# Pier\n\nThe pier opens at nine.\n"})
    picture(NOTICE).save(files / "notice.png")
    picture(["Lost property"], (400, 400)).save(files / "scan.pdf", resolution=300)
    home = tmp_path / "home"

    hidden = written(tmp_path / "hidden", {"sitecustomize.py": without("rapidocr")})
    path = {"PYTHONPATH": f"{hidden}:{ROOT}"}
    bare = shell(home, f"$CRAG ingest {files}", CRAG_ENGINE="local", **path)
    assert bare.returncode == 0, bare.stderr
    told = [each for each in bare.stderr.splitlines() if "waits for OCR: pip" in each]
    assert [each.partition(":")[0] for each in told] == ["skipped"], bare.stderr
    assert "wait for OCR: pip install '.[ocr]' in crag's clone" in bare.stderr

    assert "2 added, 1 updated" in crag(home, "ingest", files).stderr
    assert "3 unchanged" in crag(home, "ingest", files).stderr
    asked = crag(home, "ask", "When does the last ferry to Skomer leave?", "--json")
    (cited, *_) = json.loads(asked.stdout)["citations"]
    assert cited["source"] == "notice.png"
    assert "16:40" in cited["quote"]
