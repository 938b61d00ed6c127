"""Builds the context that a model is given: by document, in page order, no chunk twice.

The token budget is filled with the best chunks, each with what its last line leads to, then with
the rest of the first ones' documents if short, then with the chunks around them, then with further
chunks, then with the rest of the other ones' documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile, zip_longest

from rag.index.reader import CollectionReader
from rag.text.block_builder import ends_open
from rag.text.prose import as_prose, with_words_of_tags
from state.blocks import Block, BlockKind
from state.documents import without_header
from state.passages import ContextDocument, Grade, RetrievedChunk, is_web, text_between
from state.tokens import estimate_tokens

MAX_CHUNKS = 20
"""The most chunks of the first search, before their neighbours are added."""
MAX_FURTHER_CHUNKS = 10
"""The most chunks of each further search."""
JOINED_CHUNKS = 8
"""So many of the best chunks are given with the chunk before and the chunk behind."""
WHOLE_CHUNKS = 12
"""A document of at most so many chunks is given whole."""
WHOLE_FIRST = 4
"""So many of the best chunks have their documents before further chunks are given."""
_LINE_BREAKS = 12
"""At most this many characters stand between two excerpts that follow each other."""
_FRONT = re.compile(r"(?:-{3}|\+{3})[ \t]*\n")
_SHORTCODE = re.compile(r"\{\{[<%].{0,300}?[%>]\}\}|\{%.{0,300}?%\}")
_LABEL = re.compile(r"\{\{[<%]\s*tab\s[^\"\n]{0,80}\"([^\"\n]{1,60})\"[^\n]{0,80}?[%>]\}\}")
_FOR_PROGRAMS = re.compile(r"(?![\s>]*(?:`{3}|~{3}|:{3}|!{3}|\?{3}|\[!)).*(?:\w|-->|[{}])")
"""Matches a line for programs, if no block has it; no fence or rule, nor a note's first or last."""
_BLANK = re.compile(r"\n{3,}")
_FENCE = re.compile(r"^[ \t]{0,3}`{3,}", re.MULTILINE)


def build_context(
    ranked: Sequence[RetrievedChunk],
    reader: CollectionReader,
    tokens: int,
    given: Sequence[RetrievedChunk] = (),
    most: int = MAX_CHUNKS,
) -> list[ContextDocument]:
    """The context from the `most` chunks `ranked` best first, in about `tokens`, without what was
    `given` before. Documents are numbered from 1 in the order of their best chunks.
    """
    before = {chunk["chunk_id"]: chunk for chunk in given}
    ranked = [chunk for chunk in ranked if chunk["chunk_id"] not in before]
    chosen = dict(before)
    best, others = ranked[:JOINED_CHUNKS], ranked[JOINED_CHUNKS:most]
    left = tokens - _take_each(best, reader, chosen, tokens)
    taken = [each for each in best if each["chunk_id"] in chosen and not is_web(each)]
    for chunk in taken[:WHOLE_FIRST]:
        left -= _take(_document(chunk, reader), chosen, left)
    for chunk in taken:
        left -= _take(reader.around(chunk["chunk_id"], 1, 1), chosen, left)
    left -= _take_each(others, reader, chosen, left)
    for chunk in taken[WHOLE_FIRST:]:
        left -= _take(_document(chunk, reader), chosen, left)
    order = [chunk["source"] for chunk in ranked if chunk["chunk_id"] in chosen]
    by_source: dict[str, list[RetrievedChunk]] = {source: [] for source in order}
    for chunk_id in chosen.keys() - before.keys():
        by_source[chosen[chunk_id]["source"]].append(chosen[chunk_id])
    return [_document_of(number, chunks) for number, chunks in enumerate(by_source.values(), 1)]


def relevant_first(
    documents: Sequence[RetrievedChunk], grades: Mapping[str, Grade]
) -> list[RetrievedChunk]:
    """Chunks that a model graded relevant first; those it graded irrelevant are left out unless
    there are no others. Local grades change nothing: the search's own order is better.
    """
    by_model = {each["chunk_id"]: each for each in grades.values() if each["grader"] == "model"}

    def worth(chunk: RetrievedChunk) -> int:
        grade = by_model.get(chunk["chunk_id"])
        return 1 if grade is None else 0 if grade["relevant"] else 2

    ordered = sorted(documents, key=worth)
    return [chunk for chunk in ordered if worth(chunk) < 2] or ordered


def round_robin(
    ranked: Sequence[RetrievedChunk], searches: Sequence[Sequence[str]]
) -> list[RetrievedChunk]:
    """The best chunk of each search, in the order they ran, then the second of each and so on, so
    that no search pushes out another's results; what several found stands at its best place.
    `searches` are the ids of what each found, best first.
    """
    known = {chunk["chunk_id"]: chunk for chunk in ranked}
    first, *others = [[known[each] for each in found if each in known] for found in searches]
    return interleave([first[:MAX_CHUNKS], *(found[:MAX_FURTHER_CHUNKS] for found in others)])


def interleave(rankings: Sequence[Sequence[RetrievedChunk]]) -> list[RetrievedChunk]:
    """The first of each ranking, then the second of each, no chunk twice."""
    found: dict[str, RetrievedChunk] = {}
    for row in zip_longest(*rankings):
        for chunk in row:
            if chunk is not None:
                found.setdefault(chunk["chunk_id"], chunk)
    return list(found.values())


def _document(chunk: RetrievedChunk, reader: CollectionReader) -> Sequence[RetrievedChunk]:
    """All chunks of the chunk's document, if that is short."""
    chunks = reader.document_chunks(chunk["source"], WHOLE_CHUNKS + 1)
    return chunks if len(chunks) <= WHOLE_CHUNKS else []


def _take_each(
    ranked: Sequence[RetrievedChunk],
    reader: CollectionReader,
    chosen: dict[str, RetrievedChunk],
    left: int,
) -> int:
    """Adds the chunks that fit, each with what its last line leads to; returns about the tokens."""
    cost = 0
    for chunk in ranked:
        cost += _take([chunk], chosen, left - cost, first=not chosen)
        if ends_open(chunk["text"]) and not is_web(chunk):
            cost += _take(reader.around(chunk["chunk_id"], 0, 1), chosen, left - cost)
    return cost


def _take(
    chunks: Iterable[RetrievedChunk],
    chosen: dict[str, RetrievedChunk],
    left: int,
    *,
    first: bool = False,
) -> int:
    """Adds all of the chunks to `chosen`, or none if they do not fit; the `first` is added anyway.
    Returns about the tokens that they take.
    """
    new = [chunk for chunk in chunks if chunk["chunk_id"] not in chosen]
    cost = sum(estimate_tokens(chunk["text"]) for chunk in new)
    if cost > left and not first:
        return 0
    chosen.update((chunk["chunk_id"], chunk) for chunk in new)
    return cost


def _document_of(number: int, chunks: Sequence[RetrievedChunk]) -> ContextDocument:
    in_order = sorted(chunks, key=lambda chunk: chunk["start_char"])
    return {
        "number": number,
        "source": in_order[0]["source"],
        "title": in_order[0]["title"],
        "excerpts": in_order,
    }


def document_text(document: ContextDocument) -> str:
    """The document's excerpts in page order, each under its headings, with an ellipsis where
    something was left out; without front matter and shortcodes, fences and tables completed.
    """
    told, run, above, end, inside = "", "", "", None, False
    for excerpt in document["excerpts"]:
        shown = _cleaned(excerpt)
        if not shown:
            continue
        heading, header = without_header(excerpt["heading"])
        is_apart = end is not None and excerpt["start_char"] - end > _LINE_BREAKS
        path = _above_own_headings(heading, excerpt)
        if header and (is_apart or end is None):
            shown = f"{header}\n{_delimiters(header)}\n{shown}"
        if is_apart:
            told += _with_fence_lines(run, inside=inside) + "\n…\n"
            run = ""
        inside = inside if run else _is_inside_code(excerpt)
        if path and not run and heading != above and path != [document["title"]]:
            told += f"({' > '.join(path)})\n"  # above a fence that the run may lack
        follows = end is not None and excerpt["start_char"] - end <= 1
        run += ("\n" if follows else "\n\n") * bool(run) + shown
        above, end = heading, excerpt["end_char"]
    return told + _with_fence_lines(run, inside=inside)


def _above_own_headings(heading: str, excerpt: RetrievedChunk) -> list[str]:
    """The headings above an excerpt's first text, but for those that it begins with itself."""
    blocks = (Block(*block) for block in excerpt["blocks"])
    first = takewhile(lambda block: block.kind is BlockKind.HEADING, blocks)
    own = {as_prose(text_between(excerpt, *block.extent)) for block in first}
    return [level for level in heading.split(" > ") if level and level not in own]


def _delimiters(header: str) -> str:
    """The delimiter row of Markdown below a table's header."""
    return "|" + "---|" * (header.strip("|").count("|") + 1)


def _is_inside_code(excerpt: RetrievedChunk) -> bool:
    """Whether the excerpt begins behind the line that opens a fence."""
    first = next((Block(*block) for block in excerpt["blocks"]), None)
    if first is None or first.kind is not BlockKind.CODE:
        return False
    return not _FENCE.search(excerpt["text"][: first.start_char - excerpt["start_char"] + 3])


def _with_fence_lines(run: str, *, inside: bool) -> str:
    """The run with the fence line that it lacks at its beginning or end, and an ellipsis there."""
    first = _FENCE.search(run)
    if inside and first is not None and run[first.end() :].startswith("\n"):
        run = f"```\n…\n{run}"
    return f"{run}\n…\n```" if len(_FENCE.findall(run)) % 2 else run


def _cleaned(excerpt: RetrievedChunk) -> str:
    """The excerpt's text without fields of front matter, shortcodes (but for their words, and in
    code), and lines for programs: comments, tags, definitions of links.
    """
    text, base = excerpt["text"], excerpt["start_char"]
    blocks = [Block(*block) for block in excerpt["blocks"]]
    if base == 0 and blocks and blocks[0].kind is BlockKind.METADATA and _FRONT.match(text):
        rest = next((b.start_char for b in blocks if b.kind is not BlockKind.METADATA), None)
        if rest is None:
            return ""
        begin = excerpt["text"].rfind("\n", 0, rest) + 1
        text, base = excerpt["text"][begin:], begin
    kept: list[str] = []
    for line in text.split("\n"):
        end = base + len(line)
        kinds = {block.kind for block in blocks if block.start_char < end and base < block.end_char}
        if BlockKind.CODE in kinds:
            kept.append(line)
        elif kinds or not _FOR_PROGRAMS.match(line) or _LABEL.search(line):
            said = with_words_of_tags(_LABEL.sub(r"\1", line))
            kept.append(_SHORTCODE.sub(_within_a_word, said))
        base = end + 1
    return _BLANK.sub("\n\n", "\n".join(kept)).strip("\n")


def _within_a_word(shortcode: re.Match[str]) -> str:
    """A shortcode stays within a word, such as an address, which would be another without it."""
    text, (start, end) = shortcode.string, shortcode.span()
    glued = text[max(start - 1, 0) : start].strip() and text[end : end + 1].strip()
    return shortcode[0] if glued else ""
