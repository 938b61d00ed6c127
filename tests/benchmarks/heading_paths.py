"""The headings that chunks stand under, against the trees of markdown-it and docutils.

    python tests/benchmarks/heading_paths.py PATH...

Of each Markdown and reStructuredText file below the paths every chunk is one row: its path is
wrong where it is not that of the sections its first words lie in, as the format's own parser has
them. Prints each that is wrong, and how many chunks there are.
"""

import re
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from rag.documents.registry import open_document
from rag.text.chunk import chunk_parts
from rag.text.markup_filter import front_matter
from state.blocks import BlockKind
from state.documents import Chunk

Headings = list[tuple[int, int, str]]
"""Line from 0, level from 1, words."""

_HTML = re.compile(r"<h([1-6])\b[^<>]*>([^<>]*)</h\1>")
"""Of HTML in Markdown, a heading of words alone, which no Markdown parser takes apart."""
_ID = re.compile(r"\{[#.:][^{}]*\}\s*$")
_NO_WORD = re.compile(r"\\(?=\W)|[\W_]+")
_SUBSTITUTION = re.compile(r"\|[^|]+\|")
"""What a build fills in, such as a version: no word of the source."""
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")


def of_markdown(text: str) -> Headings:
    from markdown_it import MarkdownIt

    _, end = front_matter(text)
    text = "\n" * text.count("\n", 0, end) + text[end:]
    found = Headings()
    level = line = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "heading_open" and token.map:
            level, line = int(token.tag[1]), token.map[0]
        elif token.type == "inline" and level:
            words = "".join(
                child.content
                for child in token.children or ()
                if child.type != "html_inline"  # tags are not shown
            )
            found.append((line, level, _ID.sub("", words)))
            level = 0
        elif token.type == "html_block" and token.map:
            page = _HTML.fullmatch(token.content.strip())
            found += [(token.map[0], int(page[1]), page[2])] if page else []
    return found


def of_rst(text: str) -> Headings:
    from docutils import nodes
    from docutils.core import publish_doctree

    silent = {"report_level": 5, "halt_level": 5, "doctitle_xform": False, "raw_enabled": False}
    settings = {**silent, "file_insertion_enabled": False, "warning_stream": False}
    tree = publish_doctree(text, settings_overrides=settings)
    lines = text.split("\n")
    found, at = Headings(), 0
    for title in tree.findall(nodes.title):
        if isinstance(title.parent, nodes.section):
            depth, node = 0, title.parent
            while isinstance(node, nodes.section):
                depth, node = depth + 1, node.parent
            at = next(
                n
                for n in range(at, len(lines))
                if lines[n].strip() == title.rawsource and _ADORNED.match(lines[n + 1])
            )
            found.append((at, depth, _SUBSTITUTION.sub("", title.rawsource)))
            at += 1
    return found


def path_at(headings: Headings, line: int) -> list[str]:
    path: list[tuple[int, str]] = []
    for at, level, words in headings:
        if at >= line:
            break
        path = [*(each for each in path if each[0] < level), (level, words)]
    return [words for _, words in path]


def wrong(path: Path) -> Iterator[tuple[Chunk, bool, str]]:
    """Each chunk with words under a heading, whether its path is wrong, and the path it should
    have.
    """
    source = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
    headings = (of_rst if path.suffix == ".rst" else of_markdown)(source)
    with open_document(path) as stream:
        parts = list(stream.parts)
    text = "".join(part.text for part in parts)
    for chunk in chunk_parts(parts, stream.format):
        body = [block for block in chunk.blocks if block.kind is not BlockKind.HEADING]
        if body:
            wanted = path_at(headings, text.count("\n", 0, body[0].start_char))
            shown = list(accumulate(chunk.heading.split(" > "), "{} > {}".format))
            joined = " > ".join(wanted)
            right = any(same(each, joined) for each in [*shown, *([] if wanted else [""])])
            yield chunk, not right, joined


def same(shown: str, wanted: str) -> bool:
    """Whether they are the same words; a path that is cut short is as far as it goes."""
    shown, cut, _ = shown.partition("…")
    own, theirs = (_NO_WORD.sub("", each).casefold() for each in (shown, wanted))
    return own == theirs or bool(cut and theirs.startswith(own))


def main(places: list[str]) -> None:
    files = [
        path
        for place in places
        for path in sorted(Path(place).rglob("*"))
        if path.suffix in {".md", ".rst"} and path.is_file()
    ]
    chunks = count = 0
    for path in files:
        for chunk, is_wrong, wanted in wrong(path):
            chunks += 1
            count += is_wrong
            if is_wrong:
                print(f"{path}:{chunk.start_line}: {chunk.heading!r}, wanted {wanted!r}")
    print(f"{count} of {chunks:,} heading paths are wrong, in {len(files)} files")


if __name__ == "__main__":
    main(sys.argv[1:])
