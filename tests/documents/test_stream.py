"""The text of a document is its parts, exactly; parts are bounded, whole lines, and clean."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_document import read_document

from rag.documents.cleaning import clean
from rag.documents.limits import Limits
from rag.documents.registry import open_document
from state.errors import DocumentError, UnsupportedFormatError

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\r]")


def write(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_cleaning_leaves_no_control_and_is_idempotent(text: str) -> None:
    cleaned = clean(text)
    assert not CONTROLS.search(cleaned)
    assert clean(cleaned) == cleaned
    if not re.search("[\x1b\x80-\x9f]", text):
        kept = re.sub("[\x00-\x1f\x7f\u2028\u2029]", "", text)
        assert re.sub("[\n\t ]", "", cleaned) == re.sub("[\n\t ]", "", kept)


def test_parts_are_whole_lines_that_join_to_the_text(tmp_path: Path) -> None:
    lines = "".join(f"line {number} of a long file\r\n" for number in range(60_000))
    path = write(tmp_path, "long.txt", lines)
    with open_document(path) as stream:
        parts = [part.text for part in stream.parts]
    assert len(parts) > 2
    assert all(part.endswith("\n") for part in parts)
    assert "".join(parts) == lines.replace("\r\n", "\n") == read_document(path, "x").text


@pytest.mark.parametrize(
    "content",
    [b"", b" \n\t\n", b"\xef\xbb\xbf\n", b"\x0c\n" * 3_000_000, b"\n" * 3_000_000],
)
def test_a_file_without_text_is_empty(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentError, match=r"^empty"):
        read_document(write(tmp_path, "a.txt", content), "a.txt")


def test_terminal_escapes_are_gone(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", "# T\x1b[31mred\x1b[0m \x9b2J\x07bell\x00nul\u2028next")
    assert read_document(path, "a.md").text == "# Tred bellnul\nnext"


def test_what_is_no_file_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="not a regular file"):
        read_document(tmp_path, "folder")
    with pytest.raises(DocumentError, match="No such file"):
        read_document(tmp_path / "gone.txt", "gone.txt")
    with pytest.raises(DocumentError, match="not a regular file"):
        read_document(Path("/dev/zero"), "zero")


def test_a_file_over_its_limit_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "x" * 2000)
    with pytest.raises(DocumentError, match="too large"):
        read_document(path, "a.txt", Limits(text_bytes=1000))


def test_an_unknown_binary_is_skipped_and_unknown_text_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFormatError, match=r"\.bin"):
        read_document(write(tmp_path, "a.bin", bytes(range(256)) * 20), "a.bin")
    assert (
        read_document(write(tmp_path, "Makefile", "all:\n\ttrue\n"), "m").text == "all:\n\ttrue\n"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_encodings_are_told_apart(tmp_path: Path, encoding: str) -> None:
    text = "Grüße aus Köln, naïve — “quoted” words.\nSecond line with plain words here.\n" * 20
    assert read_document(write(tmp_path, "a.txt", text.encode(encoding)), "a").text == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Die Prüfung der Maße im Café war “schön” – 5 € pro Stück.\n"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Zażółć gęślą jaźń.\n" * 5),
        ("cp1251", "Съешь же ещё этих мягких французских булок, да выпей чаю.\n" * 5),
        ("shift_jis", "いろはにほへと ちりぬるを わかよたれそ つねならむ。\n" * 5),
        ("euc_jp", "いろはにほへと ちりぬるを わかよたれそ つねならむ。\n" * 5),
        ("gb18030", "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。\n" * 5),
        ("iso8859_7", "Ξεσκεπάζω την ψυχοφθόρα σας βδελυγμία, είπε ο γέρος.\n" * 5),
    ],
)
def test_older_encodings_are_detected(tmp_path: Path, encoding: str, text: str) -> None:
    assert read_document(write(tmp_path, "a.txt", text.encode(encoding)), "a").text == text


def test_a_few_bad_bytes_do_not_spoil_utf8(tmp_path: Path) -> None:
    content = "naïve Größe ".encode() * 50 + b"\xff end"
    document = read_document(write(tmp_path, "a.txt", content), "a")
    assert document.text == "naïve Größe " * 50 + "\ufffd end"
    assert document.warnings == ("some bytes are not utf-8 and were replaced",)


@settings(max_examples=40)
@given(spoiled=st.lists(st.integers(0x80, 0xFF), min_size=1, max_size=5))
def test_ascii_with_spoiled_bytes_is_still_read(
    tmp_path_factory: pytest.TempPathFactory, spoiled: list[int]
) -> None:
    words = "plain words of a readme file\n" * 20
    content = words.encode() + bytes(spoiled) + b" the end"
    path = write(tmp_path_factory.mktemp("spoiled"), "a.txt", content)
    text = read_document(path, "a").text
    assert text.startswith(words)
    assert text.endswith(" the end")


@settings(max_examples=60)
@given(data=st.binary(max_size=3000))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = write(tmp_path_factory.mktemp("bytes"), "a.txt", data)
    try:
        text = read_document(path, "a.txt").text
    except DocumentError:
        return
    assert text.strip()
    assert not CONTROLS.search(text)
