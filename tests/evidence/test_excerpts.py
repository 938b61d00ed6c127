from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evidence.excerpts import EXCERPT_CHARACTERS, excerpts_of
from rag.evidence.quotation import shown_text
from rag.text.blocks import blocks_of_text
from state.blocks import BlockKind

PAGE = """# Kilns

A kiln is a furnace. It is
fired twice.

## Starting

From a shell, run this:

```console
$ kilnctl start kiln   # two spaces
```

It hums.

| cone | heat |
|---|---|
| 04 | 1060 |
| 6 | 1222 |
"""


def chunk_of(text, document_format="markdown", start=0, heading=""):
    return {
        "chunk_id": "0",
        "source": "kilns.md",
        "title": "Kilns",
        "heading": heading,
        "page": None,
        "start_line": 1,
        "end_line": text.count("\n") + 1,
        "start_char": start,
        "end_char": start + len(text),
        "text": text,
        "blocks": blocks_of_text(text, document_format, start),
        "score": 1.0,
        "dense_rank": 1,
        "lexical_rank": 1,
        "cosine": None,
        "bm25": None,
        "loop": 0,
    }


def span_of(excerpt, lead=None):
    return {
        "start_char": excerpt.start_char,
        "end_char": excerpt.end_char,
        "start_line": 1,
        "end_line": 1,
        "text": excerpt.text,
        "lead": lead,
        "blocks": list(excerpt.blocks),
        "part": 0,
        "score": 1.0,
    }


LONG = PAGE.replace(
    "It is\nfired twice.", "It is\nfired twice. " + "The second time is the hotter. " * 6
)


def test_an_excerpt_is_whole_blocks_of_one_section_as_they_stand_below_its_heading():
    excerpts = excerpts_of([chunk_of(LONG)])
    assert [(e.heading, e.text.split("\n")[0]) for e in excerpts] == [
        ("Kilns", "Kilns"),
        ("Kilns > Starting", "Starting"),
    ]
    assert excerpts[1].text.endswith("| 6 | 1222 |")
    assert all(LONG[e.start_char : e.end_char] == e.text for e in excerpts)


def test_a_section_of_a_line_takes_in_the_next_and_shows_its_heading_without_marks():
    (excerpt,) = excerpts_of([chunk_of(PAGE)])
    assert excerpt.text.startswith("Kilns\n\nA kiln")
    assert "fired twice.\n\nStarting\n\nFrom a shell" in shown_text(span_of(excerpt))


def test_code_is_quoted_with_its_fence_and_what_introduces_it():
    excerpts = excerpts_of([chunk_of(PAGE)], longest=80)
    code = next(e for e in excerpts if e.holds_kind(BlockKind.CODE))
    assert code.text == (
        "From a shell, run this:\n\n```console\n$ kilnctl start kiln   # two spaces\n```"
    )
    assert shown_text(span_of(code)) == code.text


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n<b>\n\n"])
def test_code_beside_a_heading_keeps_its_fences(gap):
    text = f"```sh\nkilnctl stop\n```{gap}## Starting{gap}~~~\nkilnctl start\n~~~{gap}# End\n\nHot."
    (excerpt,) = excerpts_of([chunk_of(text)])
    shown = shown_text(span_of(excerpt))
    stop, start = "```sh\nkilnctl stop\n```\n\n", "\n\n~~~\nkilnctl start\n~~~\n\n"
    assert shown == f"{stop}Starting{start}End\n\nHot."


def test_wrapped_prose_is_joined_and_what_is_set_out_is_not():
    (excerpt,) = excerpts_of([chunk_of(PAGE)])
    shown = shown_text(span_of(excerpt))
    assert "A kiln is a furnace. It is fired twice." in shown
    assert "| cone | heat |\n|---|---|\n| 04 | 1060 |\n| 6 | 1222 |" in shown


def test_a_quoted_paragraph_is_joined_without_the_marks_of_its_lines():
    (excerpt,) = excerpts_of(
        [chunk_of("> A kiln does\n> _not_ cool\n> in an hour.\n>\n> It is hot.")]
    )
    assert shown_text(span_of(excerpt)) == ("A kiln does _not_ cool in an hour.\n\nIt is hot.")


def test_fields_go_with_the_section_below_them_and_without_their_fence():
    (excerpt,) = excerpts_of([chunk_of("---\ntitle: Kilns\nauthor: Ada\n---\n\n# Kilns\n\nHot.\n")])
    assert shown_text(span_of(excerpt)) == "title: Kilns\nauthor: Ada\n\nKilns\n\nHot."
    (excerpt,) = excerpts_of([chunk_of("---\ntitle: Kilns\n---\n\nHot.\n")])
    assert shown_text(span_of(excerpt)) == "title: Kilns\n\nHot."


def test_what_introduces_from_afar_stands_before_the_excerpt():
    text = "| 6 | 1222 |"
    (excerpt,) = excerpts_of([chunk_of(text, "text", start=5000)])
    assert shown_text(span_of(excerpt, lead="| cone | heat |")) == "| cone | heat |\n| 6 | 1222 |"


@given(
    st.lists(
        st.sampled_from(
            ["# A\n", "word " * 40 + "\n", "\n", "- item\n", "```\ncode\n```\n", "| a | b |\n"]
        ),
        max_size=40,
    )
)
def test_excerpts_of_any_text_are_slices_that_no_other_holds(lines):
    text = "".join(lines)[:3000]
    excerpts = excerpts_of([chunk_of(text, start=7)])
    ends = [e.end_char for e in excerpts]
    assert ends == sorted(set(ends))
    for excerpt in excerpts:
        assert text[excerpt.start_char - 7 : excerpt.end_char - 7] == excerpt.text
        longest = max(b.end_char - b.start_char for b in excerpt.blocks)
        assert len(excerpt.text) <= max(EXCERPT_CHARACTERS, longest) + 40


@pytest.mark.parametrize("text", ["", "\n\n", "# Only a heading\n"])
def test_a_text_without_a_body_has_no_excerpt(text):
    assert excerpts_of([chunk_of(text)]) == []
