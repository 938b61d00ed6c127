"""Titles and heading paths against the trees that markdown-it and docutils make of the same files.

Run: python tests/benchmarks/headings.py FOLDER... ; every path that differs is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rag.documents.registry import open_document
from rag.text.chunk import chunk_parts
from rag.text.front_matter import front_matter
from state.blocks import BlockKind
from state.documents import Chunk

Headings = list[tuple[int, int, str]]
"""Line from 1, level, words."""


def markdown_headings(text: str) -> Headings:
    from markdown_it import MarkdownIt

    begin = front_matter(text)[1]
    before = text.count("\n", 0, begin)
    tokens = MarkdownIt("commonmark").enable("table").parse(text[begin:])
    return [
        (token.map[0] + before + 1, int(token.tag[1]), tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.map
    ]


def rst_headings(text: str) -> Headings:
    import docutils.core
    import docutils.nodes
    from docutils.parsers.rst import Parser

    settings = {
        "report_level": 5, "halt_level": 5, "doctitle_xform": False, "raw_enabled": False,
        "file_insertion_enabled": False, "_disable_config": True, "line_length_limit": 10**6,
    }  # fmt: skip
    tree = docutils.core.publish_doctree(text, parser=Parser(), settings_overrides=settings)
    found: Headings = []
    for section in tree.findall(docutils.nodes.section):
        level, above = 1, section.parent
        while isinstance(above, docutils.nodes.section):
            level, above = level + 1, above.parent
        title = section[0]
        found.append((title.line or 0, level, title.astext()))
    return found


def path_at(headings: Headings, line: int) -> list[str]:
    """The words of the headings above a line, outermost first."""
    path: list[tuple[int, str]] = []
    for at, level, words in headings:
        if at > line:
            break
        path = [*(each for each in path if each[0] < level), (level, words)]
    return [plain(words) for _, words in path]


def plain(words: str) -> str:
    return "".join(filter(str.isalnum, words.split("{#", maxsplit=1)[0])).lower()[:60]


def read(path: Path) -> tuple[str | None, list[Chunk]]:
    with open_document(path) as stream:
        return stream.title, list(chunk_parts(stream.parts, stream.format))


def wrong(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
    text = text.removeprefix("\ufeff")
    headings = rst_headings(text) if path.suffix == ".rst" else markdown_headings(text)
    title, chunks = read(path)
    given = front_matter(text)[0]  # a field may name it as it likes
    if headings and not given and plain(title or "") == plain(headings[0][2]):
        below = [words for _, level, words in headings[1:] if level <= headings[0][1]]
        yield from (f"{path}: the title {title!r} stands over {words!r}" for words in below[:1])
    for chunk in chunks:
        body = [block for block in chunk.blocks if block.kind is not BlockKind.HEADING]
        if not body or len(chunk.heading) > 250 or "…" in chunk.heading:
            continue
        before = chunk.text[: body[0].start_char - chunk.start_char]
        wanted = path_at(headings, chunk.start_line + before.count("\n"))
        got = [plain(words) for words in chunk.heading.split(" > ")] if chunk.heading else []
        in_table = body[0].kind is BlockKind.ROW
        if "".join(got) != "".join(wanted) and not (
            in_table and "".join(got).startswith("".join(wanted))
        ):
            yield f"{path}:{chunk.start_line}: {chunk.heading!r} for {wanted}"


def main(folders: list[str]) -> None:
    files = sorted(
        path
        for folder in folders
        for path in Path(folder).rglob("*")
        if path.suffix in {".md", ".rst"} and path.is_file()
    )
    found = [line for path in files for line in wrong(path)]
    print(*found, sep="\n")
    print(f"{len(files)} files, {len(found)} wrong heading paths")


if __name__ == "__main__":
    main(sys.argv[1:])
