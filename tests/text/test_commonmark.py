"""The lines at which blocks of Markdown begin, against CommonMark's own parser."""

from pathlib import Path

import pytest
from heading_paths import wrong
from markdown_it import MarkdownIt

from rag.text.blocks import blocks_of_text

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = ("*.md", "docs/**/*.md", "sample_corpus/**/*.md")
FILES = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))
OPENS = {"heading_open": "heading", "list_item_open": "item", "tr_open": "row", "fence": "code"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_begin_where_commonmark_says_and_chunks_stand_under_its_headings(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    wanted = {
        (OPENS[token.type], token.map[0] + (token.type == "fence"))
        for token in tokens
        if token.type in OPENS and token.map and not (token.type == "fence" and not token.content)
    }
    found = {
        (block.kind.value, text.count("\n", 0, block.start_char))
        for block in blocks_of_text(text, "markdown")
        if block.kind.value in OPENS.values()
    }
    assert found == wanted
    assert [(chunk.heading, wanted) for chunk, bad, wanted in wrong(path) if bad] == []
