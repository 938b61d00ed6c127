"""What a model is given: all that was found, in page order, with a sign where text is left out."""

from types import SimpleNamespace
from typing import Any

import pytest
from openai_samples import chunk_of, document_of

from rag.context import MAX_CHUNKS, MAX_FURTHER_CHUNKS, build_context, document_text, round_robin
from rag.text.blocks import blocks_of_text
from state.blocks import Block, BlockKind


def document(*excerpts: tuple[int, str, str]):
    """One document of (offset, heading, text)."""
    whole = document_of(1, chunk_of("page", ""))
    (form,) = whole["excerpts"]
    told = [
        {
            **form,
            "heading": heading,
            "text": text,
            "blocks": blocks_of_text(text, "markdown", at),
            "start_char": at,
            "end_char": at + len(text),
        }
        for at, heading, text in excerpts
    ]
    return {**whole, "excerpts": told}


NOTE = ":::warning\n\nHot.\n\n:::"
CHANGE = "- Fix: a stale lock is taken down at once"
FOR_PROGRAMS = (
    '<!-- Old. -->\n<a id="b"></a>\n\n> [!NOTE]\n> One.\n\n{{< tabpane >}} {{% tab "HTTP" %}}'
    "\n\n```sh\n# <!-- kept -->\npip install x\n```\n\n{{% /tab %}} {{< /tabpane >}}\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n[status]: /docs/status"
)
LOOP = "```jinja\n{% for fare in fares %} a {% endfor %}\n```"
FOR_READERS = (
    "> [!NOTE]\n> One.\n\n HTTP\n\n```sh\n# <!-- kept -->\npip install x\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |"
)


@pytest.mark.parametrize(
    ("excerpts", "given"),
    [
        ([(0, "", "One."), (6, "", "Two.")], "One.\n\nTwo."),
        ([(0, "", "One."), (5, "", "Two.")], "One.\nTwo."),
        ([(0, "", f"{CHANGE}\n- a"), (70, "", CHANGE)], f"{CHANGE}\n- a\n…\n{CHANGE}"),
        ([(0, "", 'Ask in {% channel "ops" "C12" %}.')], "Ask in ops."),
        ([(0, "", "Part\n~~~~\nOne."), (90, "", "Two.")], "Part\n~~~~\nOne.\n…\nTwo."),
        ([(0, "", "One."), (90, "", "Two.")], "One.\n…\nTwo."),
        ([(0, "A", "# A\nOne."), (90, "A > B", "Two.")], "# A\nOne.\n…\n(A > B)\nTwo."),
        ([(0, "A", "# A\nOne."), (90, "A > B", "## B\nTwo.")], "# A\nOne.\n…\n(A)\n## B\nTwo."),
        ([(0, "A", "# A\n\n## B"), (9, "A > B", "Two.")], "# A\n\n## B\nTwo."),
        (
            [(0, "", "```sh\nmake\n"), (90, "A > | a | b |", "| 1 | 2 |")],
            "```sh\nmake\n…\n```\n…\n(A)\n| a | b |\n|---|---|\n| 1 | 2 |",
        ),
        ([(0, "", f"<style>\n\ta {{\n\t}}\n\n\tb {{\n\t}}\n</style>\n\n{NOTE}")], NOTE),
        ([(0, "", FOR_PROGRAMS)], FOR_READERS),
        ([(0, "", f"A loop {{{{< x >}}}}.\n\n{LOOP}")], f"A loop .\n\n{LOOP}"),
    ],
)
def test_what_is_left_out_is_marked_and_what_follows_stands_under_its_headings(excerpts, given):
    assert document_text(document(*excerpts)) == given


def test_what_begins_within_code_is_fenced_below_its_heading():
    cut, code, prose = "print(1)\n```\nAfter.", BlockKind.CODE, BlockKind.PARAGRAPH
    told = document((90, "A > B", cut))
    told["excerpts"][0]["blocks"] = [Block(code, 90, 98), Block(prose, 103, 109)]
    assert document_text(told) == f"(A > B)\n```\n…\n{cut}"


def reader(around=lambda *_: [], document_chunks=lambda *_: []) -> Any:
    """A collection of which these neighbours are known."""
    return SimpleNamespace(around=around, document_chunks=document_chunks)


def found(loop: int, count: int, prefix: str = ""):
    return [chunk_of(f"{prefix}{loop}-{n}", f"Fact {n} of {loop}.", loop) for n in range(count)]


def test_nothing_of_the_first_search_is_lost_and_the_best_of_the_others_stand_among_it():
    searches = first, later, web = [found(n, MAX_CHUNKS) for n in range(3)]
    ids = [[chunk["chunk_id"] for chunk in each] for each in searches]
    ids[1].insert(0, "0-9")  # a later search finds it first
    ranked = round_robin([*first, *later, *web], ids)
    assert [chunk["chunk_id"] for chunk in ranked][:6] == ["0-0", "0-9", "2-0", "0-1", "1-0", "2-1"]
    assert len(ranked) == MAX_CHUNKS + 2 * MAX_FURTHER_CHUNKS - 1
    assert {*ids[0]} <= {chunk["chunk_id"] for chunk in ranked}


def test_what_ends_in_a_colon_is_given_with_what_follows_it():
    def around(chunk_id, before, _behind):
        return [] if before else [{**chunk_of(f"{chunk_id}+", "A list."), "source": "1.md"}]

    hits = [chunk_of("1", "These are held:"), chunk_of("2", "Nothing more.")]
    given = build_context(hits, reader(around), 6_000)
    assert {each["chunk_id"] for one in given for each in one["excerpts"]} == {"1", "1+", "2"}


def test_the_rest_of_a_lesser_document_stands_behind_what_else_was_found():
    def whole(source, _most):
        name = source.removesuffix(".md")
        return [chunk_of(name, "found"), {**chunk_of(f"{name}+", "more"), "source": source}]

    hits = [chunk_of(str(number), "found") for number in range(12)]
    given = build_context(hits, reader(document_chunks=whole), 16)
    taken = {each["chunk_id"] for one in given for each in one["excerpts"]}
    assert taken == {*map(str, range(12)), "0+", "1+", "2+", "3+"}
