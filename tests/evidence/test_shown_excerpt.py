"""What a person is shown of an excerpt: its blocks, and no mark that says nothing."""

from __future__ import annotations

import pytest

from rag.evidence.shown_excerpt import shown_text
from rag.text.blocks import blocks_of_text
from rag.text.prose import as_prose
from state.blocks import BlockKind


def shown(text, document_format="markdown", *, lead=None, answering=None, kinds=None):
    """All of a text, or its blocks of these kinds, as one excerpt."""
    blocks = [
        block
        for block in blocks_of_text(text, document_format)
        if kinds is None or block.kind in kinds
    ]
    span = {
        "start_char": 0,
        "end_char": len(text),
        "start_line": 1,
        "end_line": 1,
        "text": text,
        "lead": lead,
        "blocks": list(blocks),
        "part": 0,
        "score": 1.0,
    }
    return shown_text(span, answering)


@pytest.mark.parametrize(
    "marks",
    [
        "<!-- Old headings.\n\nDo not remove. -->",
        '<a id="old"></a>',
        '<a id="old"></a> <a id="older"></a>',
        '<Listing number="2-1" caption="A kiln">',
        "{{< tabpane >}}",
        "{% endalert %}",
        "[kiln]: https://kilns.example/",
    ],
)
def test_what_only_a_program_reads_is_not_shown(marks):
    code = "```sh\nkilnctl start\n```"
    for text in (
        f"It is hot.\n\n{marks}\n\nIt hums.",
        f"Run this:\n\n{marks}\n\n{code}\n\nIt hums.",
        f"{code}\n\n{marks}\n\nIt hums.",
    ):
        assert shown(text) == text.replace(f"{marks}\n\n", "")


def test_code_in_a_quotation_is_shown_without_the_marks_of_its_lines():
    text = "> Add this:\n>\n> ```toml\n> panic = 'abort'\n>\n>   indented\n> ```\n\nIt hums."
    assert shown(text) == "Add this:\n\n```toml\npanic = 'abort'\n\n  indented\n```\n\nIt hums."


def test_a_quotation_below_code_has_no_mark_on_its_first_line():
    text = "```\nkilnctl\n```\n\n> [!TIP] Slowly\n>\n> It cools\n> by night.\n"
    assert shown(text) == "```\nkilnctl\n```\n\nSlowly\n\nIt cools by night."


def test_the_sign_of_an_alert_is_not_shown():
    assert shown("Hot.\n\n> [!NOTE]\n>\n> It cools.\n") == "Hot.\n\nIt cools."


def test_a_fence_that_is_cut_off_is_closed_and_one_that_is_missing_opened():
    text = "Run:\n\n```sh\nkilnctl \\\n  start\nkilnctl stop\n```\n\nIt hums."
    code = next(b for b in blocks_of_text(text, "markdown") if b.kind is BlockKind.CODE)
    middle = text.index("kilnctl stop")

    def cut(first, last, blocks):
        span = {"start_char": first, "end_char": last, "text": text[first:last], "lead": None}
        return shown_text({**span, "blocks": list(blocks)})

    above = code._replace(end_char=middle - 1)
    below = code._replace(start_char=middle)
    begun = text.index("```sh")
    assert cut(begun, middle - 1, [above]) == "```sh\nkilnctl \\\n  start\n```"
    assert cut(middle, text.index("\n\nIt hums"), [below]) == "```\nkilnctl stop\n```"


def test_an_indented_fence_is_closed_where_it_was_opened():
    text = "1. Run:\n\n   ```sh\n   kilnctl start\n"
    assert shown(text) == "1. Run:\n\n   ```sh\n   kilnctl start\n   ```"


def test_the_fields_of_a_page_are_shown_where_one_of_them_answers():
    text = "---\ntitle: Kilns\ndate: 2024-05-01\n---\n\n# Kilns\n\nThey are hot.\n"
    date, hot = text.index("date"), text.index("They")
    assert shown(text, answering=(hot, hot + 13)) == "Kilns\n\nThey are hot."
    assert shown(text, answering=(date, date + 16)).startswith("title: Kilns\ndate: 2024-05-01\n\n")


def test_the_head_of_a_mail_is_shown_with_what_it_says():
    text = "From: Ada\nDate: Tuesday\n\nThe kiln is hot.\n"
    hot = text.index("The")
    assert shown(text, "text", answering=(hot, hot + 16)) == text.strip()


def test_a_wrapped_line_that_introduces_is_joined_and_stands_apart_from_code():
    text = "    kilnctl start"
    lead = "Starting\n\nFrom a shell, in\nthis order:"
    assert shown(text, "text", lead=lead) == (
        "Starting\n\nFrom a shell, in this order:\n\n    kilnctl start"
    )


def test_an_item_stands_right_below_its_own():
    assert shown("  - slowly", lead="- Start it:") == "- Start it:\n  - slowly"


def test_notes_of_a_text_are_kept_and_are_no_markers():
    assert as_prose("It is hot [12].\nSee [2] and [3], not `a [4]`, [5](u) or reg[6].") == (
        "It is hot (12). See (2) and (3), not `a [4]`, [5](u) or reg[6]."
    )


def test_the_rules_of_a_table_are_kept_and_those_between_paragraphs_not():
    text = "Hot.\n\n***\n\nCold.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert shown(text) == "Hot.\n\nCold.\n\n| a | b |\n|---|---|\n| 1 | 2 |"


def test_a_row_stands_right_below_its_header_and_that_apart_from_its_caption():
    assert shown("| 1 | 2 |", "text", lead="Cones\n\n| a | b |") == (
        "Cones\n\n| a | b |\n| 1 | 2 |"
    )
