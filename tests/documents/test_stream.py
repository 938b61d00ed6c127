"""The text of a document is its parts, exactly; parts are bounded, whole lines, and clean."""

import re
from pathlib import Path

import pytest
from document_files import save
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_document import read_document

from rag.documents.cleaning import clean
from rag.documents.stream import Limits
from state.errors import DocumentError

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\r]")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_cleaning_leaves_no_control_and_is_idempotent(text: str) -> None:
    clean_parts = clean(text)
    assert not CONTROLS.search(clean_parts)
    assert clean(clean_parts) == clean_parts
    if not re.search("[\x08\x1b\x80-\x9f\xad]", text):
        kept = re.sub("[\x00-\x1f\x7f\u2028\u2029]", "", text)
        assert re.sub("[\n\t ]", "", clean_parts) == re.sub("[\n\t ]", "", kept)


def test_lines_of_a_text_end_in_one_way(tmp_path: Path) -> None:
    lines = "".join(f"line {number} of a long file\r\n" for number in range(60_000))
    text = read_document(save(tmp_path, "long.txt", lines)).text
    assert text == lines.replace("\r\n", "\n")


@pytest.mark.parametrize(
    "content", [b"", b" \n\t\n", b"\xef\xbb\xbf\n", b"\x0c\n" * 300_000, b"\n" * 300_000]
)
def test_a_file_without_text_is_empty(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentError, match=r"^empty"):
        read_document(save(tmp_path, "a.txt", content))


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.md", "# T\x1b[31mred\x1b[0m \x9b2J\x07bell\x00nul\u2028next", "# Tred bellnul\nnext"),
        ("a.html", "<p>Au&shy;then&shy;tic</p>", "Authentic\n"),
    ],
)
def test_escapes_and_places_to_part_a_word_are_gone(tmp_path: Path, name, content, text) -> None:
    assert read_document(save(tmp_path, name, content)).text == text


def test_a_file_over_its_limit_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path, "a.txt", "x" * 2000)
    with pytest.raises(DocumentError, match="too large"):
        read_document(path, Limits(text_bytes=1000))


WORDS = "Grüße aus Köln, naïve — “quoted” words.\nSecond line with plain words here.\n" * 20


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        *((encoding, WORDS) for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32")),
        ("cp1252", "På lördag åker vi till Malmö över bron.\n"),
        ("cp1252", "Die Prüfung der Maße im Café war “schön” – 5 € pro Stück.\n"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Zażółć gęślą jaźń.\n" * 5),
        ("cp1251", "Съешь же ещё этих мягких французских булок, да выпей чаю.\n" * 5),
        ("shift_jis", "いろはにほへと ちりぬるを わかよたれそ つねならむ。\n" * 5),
        ("gb18030", "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。\n" * 5),
        ("iso8859_7", "Ξεσκεπάζω την ψυχοφθόρα σας βδελυγμία, είπε ο γέρος.\n" * 5),
    ],
)
def test_encodings_are_told_apart(tmp_path: Path, encoding: str, text: str) -> None:
    assert read_document(save(tmp_path, "a.txt", text.encode(encoding))).text == text


def test_a_few_bad_bytes_do_not_spoil_utf8(tmp_path: Path) -> None:
    content = "naïve Größe ".encode() * 50 + b"\xff end"
    document = read_document(save(tmp_path, "a.txt", content))
    assert document.text == "naïve Größe " * 50 + "\ufffd end"
    assert document.warnings == ("some bytes are not utf-8 and were replaced",)


@settings(max_examples=40)
@given(spoiled=st.lists(st.integers(0x80, 0xFF), min_size=1, max_size=5))
def test_ascii_with_spoiled_bytes_is_still_read(tmp_path_factory, spoiled: list[int]) -> None:
    words = "plain words of a readme file\n" * 20
    content = words.encode() + bytes(spoiled) + b" the end"
    path = save(tmp_path_factory.mktemp("spoiled"), "a.txt", content)
    text = read_document(path).text
    assert text.startswith(words)
    assert text.endswith(" the end")
