import itertools
import tracemalloc
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.documents.stream import Part
from rag.index.codec import decode_blocks, encode_blocks
from rag.text import blocks, chunk
from rag.text.chunk import CHUNK_CHARS, chunk_parts
from state.documents import Chunk, without_header


def chunks(text: str, document_format: str = "markdown", limit: int = CHUNK_CHARS) -> list[Chunk]:
    return list(chunk_parts([Part(text)], document_format, limit=limit))


PROSE = "The pump runs all night. It is checked at six, and again at noon! Is it safe? Yes. "
BLOCKS = st.sampled_from(
    [
        "# Title\n",
        "\n## Part two\n\n",
        "### Deep\n",
        "Setext\n======\n",
        "- one thing\n- another thing\n  - nested\n1. counted\n",
        "```python\ndef f():\n    return 1\n\n\n# no heading\n```\n",
        "~~~\nopen fence\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        "\n\n",
        "   \t \n",
        PROSE,
        "这是一个句子。第二个句子！第三个？",
        "ประโยคภาษาไทยไม่มีช่องว่าง",
        "e\u0301\u0301\u0301" * 9,
        "👩‍👩‍👧‍👦 " * 5,
        "x" * 170,
        "\u2028\x0b\x0c\x85",
        "key: value\nother: value\n",
    ]
)
TEXTS = st.lists(BLOCKS | st.text(max_size=60), max_size=40).map("".join)
FORMATS = st.sampled_from(["markdown", "text", "rst", "org", "code", "csv", "html"])


@given(TEXTS, FORMATS, st.integers(60, 400))
@example("a" * 1000, "text", 100)
@example("\n" * 1000 + "x", "text", 100)
@example(" " * 1000 + "x\n" * 400, "code", 100)
@example("a" * 20 + "\n> " + "\x0c" * 16 + "b" * 70, "text", 40)  # cut where a block has blanks
def test_chunks_are_slices_that_cover_the_text(text: str, document_format: str, limit: int) -> None:
    pieces = chunks(text, document_format, limit)
    covered = 0
    for piece in pieces:
        assert piece.text == text[piece.start_char : piece.end_char]
        assert piece.text.strip()
        assert len(piece.text) <= limit
        assert not text[covered : piece.start_char].strip()
        assert piece.start_line == text.count("\n", 0, piece.start_char) + 1
        assert piece.end_line == text.count("\n", 0, piece.end_char) + 1
        position, covered = piece.start_char, piece.end_char
        for block in piece.blocks:
            assert position <= block.start_char < block.end_char <= piece.end_char
            position = block.end_char
        assert tuple(decode_blocks(encode_blocks(piece.blocks))) == piece.blocks
    assert not text[covered:].strip()


@pytest.mark.parametrize("stretch", [400, chunk._STRETCH])
@given(TEXTS, FORMATS, st.data())
def test_a_text_of_several_stretches_is_covered_however_its_parts_come(
    stretch: int, text: str, document_format: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    parts = [Part(text[a:b]) for a, b in itertools.pairwise([0, *cuts, len(text)])]
    with patch.object(chunk, "_STRETCH", stretch):
        pieces = chunks(text, document_format, 120)
        assert list(chunk_parts(parts, document_format, limit=120)) == pieces
    assert all(piece.text == text[piece.start_char : piece.end_char] for piece in pieces)
    assert "".join("".join(piece.text for piece in pieces).split()) == "".join(text.split())


@given(st.lists(TEXTS, max_size=6))
def test_no_chunk_reaches_over_a_page(pages: list[str]) -> None:
    text = "".join(pages)
    parts = [Part(page, number) for number, page in enumerate(pages, start=1)]
    for piece in chunk_parts(parts, "pdf", limit=200):
        assert piece.page is not None
        start = sum(map(len, pages[: piece.page - 1]))
        assert start <= piece.start_char
        assert piece.end_char <= start + len(pages[piece.page - 1])
        assert piece.text == text[piece.start_char : piece.end_char]
        assert piece.start_line == text.count("\n", 0, piece.start_char) + 1


@pytest.mark.parametrize(
    ("line", "document_format"), [("word\n", "text"), ("- item\n", "markdown"), ("a | b\n", "csv")]
)
def test_the_blocks_of_a_long_text_are_not_all_held(line: str, document_format: str) -> None:
    text = line * 50_000
    tracemalloc.start()
    try:
        with patch.object(blocks, "_LONGEST", 4096):
            next(chunk_parts([Part(text)], document_format))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 24 * len(text)


def test_a_short_document_is_one_chunk_and_a_blank_one_has_none() -> None:
    text = "# A\n\nOne.\n\n## B\n\nTwo.\n"
    assert [piece.text for piece in chunks(text)] == [text.strip()]
    assert chunks("") == []
    assert chunks(" \n\t\n" * 100_000) == []


def test_a_section_begins_a_chunk_and_carries_its_path() -> None:
    section = PROSE * 8
    text = f"# Manual\n\n{section}\n\n## Pumps\n\n### Oil\n\n{section}\n\n## Fans\n\n{section}"
    pieces = chunks(text)
    assert [(piece.text.split("\n")[0], piece.heading) for piece in pieces] == [
        ("# Manual", "Manual"),
        ("## Pumps", "Manual > Pumps > Oil"),
        ("## Fans", "Manual > Fans"),
    ]


@pytest.mark.parametrize(
    ("document_format", "text", "path"),
    [
        ("text", "Top\n===\n\nA\n---\n\nbody\n", "Top > A"),
        ("text", "Top\n---\n\nA\n***\n\nbody\n", "Top > A"),
        ("markdown", "Top\n===\n\nA\n---\n\nbody\n", "Top > A"),
        ("markdown", "---\ntitle: x\n---\n\nbody\n", ""),
        ("code", "# comment\nx = 1\n", ""),
        ("markdown", "```\n# comment\n```\n", ""),
    ],
)
def test_headings_are_those_of_the_format(document_format: str, text: str, path: str) -> None:
    assert chunks(text, document_format)[0].heading == path


def test_a_table_is_split_between_rows() -> None:
    rows = "".join(f"| row {n} | {'cell ' * 9}|\n" for n in range(100))
    pieces = chunks("# T\n\n| a | b |\n|---|---|\n" + rows)[1:]
    assert len(pieces) > 3
    assert {without_header(piece.heading) for piece in pieces} == {("T", "| a | b |")}
    for piece in pieces:
        assert piece.text.startswith("|")
        assert piece.text.endswith("|")


def test_a_code_fence_that_fits_is_kept_whole() -> None:
    code = "```rust\n" + "let x = call(1);\n\n" * 30 + "```"
    pieces = chunks(f"{PROSE * 10}\n\n{code}\n\n{PROSE * 10}")
    assert any(code in piece.text for piece in pieces)


@pytest.mark.parametrize("document_format", ["markdown", "text", "pdf", "html"])
def test_sentences_are_not_cut_where_it_can_be_helped(document_format: str) -> None:
    pieces = chunks("Mr. Gray oiled pump No. 4 at 3.5 bar. " * 200, document_format)
    assert len(pieces) > 5
    assert all(piece.text.startswith("Mr. Gray") for piece in pieces)
    chinese = chunks("泵每天检查两次。" * 500)
    assert all(piece.text.startswith("泵") and piece.text.endswith("。") for piece in chinese)


def test_the_last_chunk_is_no_crumb() -> None:
    text = "word " * 250
    assert min(len(piece.text) for piece in chunks(text)) > 300


def test_indentation_of_a_first_line_is_kept() -> None:
    code = "class A:\n" + "".join(f"    def f{n}(self):\n        return {n}\n\n" for n in range(80))
    pieces = chunks(code, "code")
    assert all(piece.text.startswith("    def") for piece in pieces[1:])


def test_a_converted_text_is_placed_by_its_anchor_and_a_file_by_its_own_lines() -> None:
    parts = [
        Part("# Fares\n\nCheap.\n", anchor="sheet Fares"),
        Part("Before any heading.\n", anchor=""),
        Part("# Dogs\n\nThey may ride.\n", anchor=""),
    ]
    placed = [each.anchor for each in chunk_parts(parts, "docx", limit=40)]
    assert placed == ["sheet Fares", "section Fares", "section Dogs"]
    assert [each.anchor for each in chunks("# Dogs\n\nThey may ride.\n")] == [None]
    assert next(iter(chunk_parts([Part("No heading.", anchor="")], "docx"))).anchor == "paragraph 1"
    assert next(iter(chunk_parts([Part("a | b\n1 | 2\n", anchor="")], "csv"))).anchor == "row 1"
