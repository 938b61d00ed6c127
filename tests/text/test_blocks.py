import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_time import cpu_within

from rag.documents.stream import Part
from rag.text.blocks import blocks_of_text
from rag.text.chunk import chunk_parts
from rag.text.sentences import block_sentences
from state.blocks import WHOLE, BlockKind

MARKDOWN = """---
title: Pumps
tags:
  - oil
  - water
---
# The pump {#pump}

It runs all night.
Nobody listens.

Start it with:

```sh
  pump start
    --all
```

- Check the oil:
  ```text
  oil: 3
  ```
- Listen to
  the motor
  1. from the left

     It hums.

> [!WARNING]
> Never touch
> the rod.

| part | price |
|------|-------|
| rod  | 3     |

[rod]: https://example.org/rod

    indented code

Prices
======
<div class="x">See the list.</div>
"""

PLAIN = """PUMP MANUAL
===========

The pump runs all night. It is checked
at six, and at noon.

From: Ada
To: Bob

Steps:
1. Open the valve
   by hand
   a) slowly
2. Wait

    $ pump start

> He said it runs.

name | price
rod | 3
"""


def read(text: str, document_format: str) -> list[tuple[str, int, str, str | None]]:
    found = []
    for block in blocks_of_text(text, document_format):
        said, lead = text[slice(*block.extent)], block.lead and text[slice(*block.lead)]
        found.append((block.kind.value, block.level, said, lead))
    return found


def test_the_blocks_of_markdown() -> None:
    assert read(MARKDOWN, "markdown") == [
        ("metadata", 0, "title: Pumps", None),
        ("metadata", 0, "tags:\n  - oil\n  - water", None),
        ("heading", 1, "The pump", None),
        ("paragraph", 0, "It runs all night.\nNobody listens.", None),
        ("paragraph", 0, "Start it with:", None),
        ("code", 0, "  pump start\n    --all", "Start it with:"),
        ("item", 1, "- Check the oil:", None),
        ("code", 1, "  oil: 3", "- Check the oil:"),
        ("item", 1, "- Listen to\n  the motor", None),
        ("item", 2, "1. from the left", "- Listen to\n  the motor"),
        ("paragraph", 2, "It hums.", None),
        ("note", 0, "Never touch\n> the rod.", None),
        ("row", 0, "| part | price |", None),
        ("row", 0, "| rod  | 3     |", "| part | price |"),
        ("code", 0, "    indented code", None),
        ("heading", 1, "Prices", None),
        ("paragraph", 0, '<div class="x">See the list.</div>', None),
    ]


SET_IN = """!!! note

    It keeps
    four copies:

    - at home

        in a safe

    ```sh
    copy --all
    ```

??? warning "Never over NFS"
    The file would break.

=== "Docker"

        docker pull pump

Outside.

`PASS=<word>`
: Opens the pump.

    Defaults to oil.

: Said twice.

        pump open

Or:

    four
"""


def test_what_is_set_in_below_a_note_a_tab_or_a_definition_is_no_code() -> None:
    in_a_list = "Throws:\n  : A - no\n  : B"
    assert read(in_a_list, "html") == [("item", 1, in_a_list, None)]
    found = read(SET_IN, "markdown")
    assert [(kind, said) for kind, _, said, _ in found] == [
        ("paragraph", "It keeps\n    four copies:"),
        ("item", "- at home"),
        ("paragraph", "in a safe"),
        ("code", "    copy --all"),
        ("paragraph", "Never over NFS"),
        ("paragraph", "The file would break."),
        ("paragraph", "Docker"),
        ("code", "        docker pull pump"),
        ("paragraph", "Outside."),
        ("item", "`PASS=<word>`\n: Opens the pump."),
        ("paragraph", "Defaults to oil."),
        ("paragraph", ": Said twice."),
        ("code", "        pump open"),
        ("paragraph", "Or:"),
        ("code", "    four"),
    ]
    assert found[1][3] == found[0][2]


def test_fields_alone_stand_line_by_line() -> None:
    fields = read("Version: 6\nOwned by: Ann\n\nIn short: no\nwrapped text.\n", "markdown")
    assert [(kind, said) for kind, _, said, _ in fields] == [
        ("field", "Version: 6"),
        ("field", "Owned by: Ann"),
        ("paragraph", "In short: no\nwrapped text."),
    ]


def test_a_paragraph_that_is_a_command_is_code_with_the_line_above_it() -> None:
    text = "- [c]reate:\n\n`tar cf {{a.tar}} {{b}}`\n\n- List\n\n`tar t`\n\n"
    text += "Or:\n\n``tar x``\n\n`a` and `b`\n"
    assert read(text, "markdown") == [
        ("item", 1, "- [c]reate:", None),
        ("code", 0, "tar cf {{a.tar}} {{b}}", "- [c]reate:"),
        ("item", 1, "- List", None),
        ("code", 0, "tar t", "- List"),
        ("paragraph", 0, "Or:", None),
        ("code", 0, "tar x", "Or:"),
        ("paragraph", 0, "`a` and `b`", None),
    ]


def test_the_blocks_of_plain_text() -> None:
    assert read(PLAIN, "text") == [
        ("heading", 1, "PUMP MANUAL", None),
        ("paragraph", 0, "The pump runs all night. It is checked\nat six, and at noon.", None),
        ("field", 0, "From: Ada", None),
        ("field", 0, "To: Bob", None),
        ("paragraph", 0, "Steps:", None),
        ("item", 1, "1. Open the valve\n   by hand", "Steps:"),
        ("item", 2, "a) slowly", "1. Open the valve\n   by hand"),
        ("item", 1, "2. Wait", "Steps:"),
        ("paragraph", 1, "$ pump start", None),
        ("note", 0, "He said it runs.", None),
        ("row", 0, "name | price", None),
        ("row", 0, "rod | 3", "name | price"),
    ]


def test_the_columns_of_a_sheet_are_named_below_its_titles() -> None:
    rows = read("# Oil\n\nSales\nBy shop\nshop | litres\nWeir | 3\nTotal\n", "xlsx")
    assert [(said, lead) for _, _, said, lead in rows[1:]] == [
        ("Sales", None),
        ("By shop", "Sales"),
        ("shop | litres", None),
        ("Weir | 3", "shop | litres"),
        ("Total", "shop | litres"),
    ]


def test_more_names_than_above_them_begin_a_table_of_their_own() -> None:
    text = "Date | 7 May\nDue | 2 June | by post\nItem | Litres | Sum\nOil | 3 | 9\nSalt | 1\n"
    assert [(said, lead) for _, _, said, lead in read(text, "xlsx")] == [
        ("Date | 7 May", None),
        ("Due | 2 June | by post", "Date | 7 May"),
        ("Item | Litres | Sum", None),
        ("Oil | 3 | 9", "Item | Litres | Sum"),
        ("Salt | 1", "Item | Litres | Sum"),
    ]


def test_the_paragraphs_of_a_quotation_are_apart_and_begin_behind_their_marks() -> None:
    text = "> The pump runs\n> all night.\n>\n> > Never touch\n> > the rod.\n"
    assert read(text, "email") == [
        ("note", 0, "The pump runs\n> all night.", None),
        ("note", 0, "Never touch\n> > the rod.", None),
    ]
    assert read("> \x0cThe pump runs.", "email") == [("note", 0, "The pump runs.", None)]


MANUAL = """NAME
       pump - move oil

OPTIONS
       --all, -a
           Pump everything. See also
           pump-config(1).

EXAMPLES
       Start it:

           $ pump --all
"""
ASCIIDOC = """OPTIONS
-------
`-d`::
`--depth=<depth>`::
\tPump from as far down.
+
It takes an hour.
"""
HELP = """Modes:

  -A, --catenate     append tar files to an archive
      --delete=FILE  delete from it, but not where
                     it is a tape
-b     : warn of bytes
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            MANUAL,
            [
                ("heading", "NAME"),
                ("paragraph", "pump - move oil"),
                ("heading", "OPTIONS"),
                ("item", "--all, -a Pump everything. See also pump-config(1)."),
                ("heading", "EXAMPLES"),
                ("paragraph", "Start it:"),
                ("paragraph", "$ pump --all"),
            ],
        ),
        (
            ASCIIDOC,
            [
                ("heading", "OPTIONS"),
                ("item", "`-d`:: `--depth=<depth>`:: Pump from as far down."),
                ("paragraph", "It takes an hour."),
            ],
        ),
        (
            HELP,
            [
                ("paragraph", "Modes:"),
                ("paragraph", "-A, --catenate append tar files to an archive"),
                ("paragraph", "--delete=FILE delete from it, but not where it is a tape"),
                ("paragraph", "-b : warn of bytes"),
            ],
        ),
    ],
    ids=["manual", "asciidoc", "help"],
)
def test_a_manual_has_sections_and_names_its_options_with_what_they_do(text, expected) -> None:
    assert [(each[0], " ".join(each[2].split())) for each in read(text, "text")] == expected


def test_what_is_written_on_a_day_stands_below_its_date() -> None:
    dates = ("9 June", "Friday, 14 May 2024", "2024-06-30", "3. März", "1er janv. 2024", "May 5th")
    text = "".join(f"\n{date}\nThe kiln was lit at dusk.\n" for date in [*dates, "2 Onions", "May"])
    assert [each[2] for each in read(text, "text") if each[0] == "heading"] == [*dates]


@pytest.mark.parametrize(
    ("document_format", "text", "expected"),
    [
        ("code", "def f():\n    return 1\n\n    # no item\n- x\n", ["code", "code"]),
        ("code", "a: 1\n---\nb: 2\n", ["code", "code"]),  # two documents of YAML
        ("csv", "a | b\n1 | 2\n", ["row", "row"]),
        ("log", "# one line\n- another\n", ["row", "row"]),
        ("email", "From: Ada\nTo: Bob\n\nHi.\n", ["field", "field", "paragraph"]),
        ("org", "# Top\n## Part\nbody\n", ["heading", "heading", "paragraph"]),
        ("html", "# Top\n\nGo:\n\n```\nx\n```\n", ["heading", "paragraph", "code"]),
        ("text", "2.1 The pump\n\nIt runs.\n\n3 VALVES\n\nTwo.\n", ["heading", "paragraph"] * 2),
        (
            "text",
            "----\n# pump\n$ p\n\n# p 2\n$ q\n\n[[oil]]\nOil\n---\n",
            ["paragraph"] * 4 + ["heading"],
        ),
        ("text", "[ ] key: ask Bo for the code\n[x] gas bottles\n", ["item", "item"]),
        ("text", "Sat 5 July   Kit     7-9\nSun 16 July  Nora    14-21\n", ["paragraph"] * 2),
        ("text", "|Code | Said|\n|9 | Hot|\n", ["row", "row"]),
        # The line above what a mail quotes is no heading.
        ("email", f"Sent from a kiln\n{'_' * 32}\nFrom: Kim\n", ["paragraph", "paragraph"]),
    ],
)
def test_each_format_has_blocks_of_its_own(document_format: str, text: str, expected) -> None:
    assert [kind for kind, *_ in read(text, document_format)] == expected


ODD = (
    *("\n", "\r\n", "\t", "   ", "- - - x\n", "* * *\n", "> > 1. a\n", "```", "~~~\n", "+++\n"),
    *("{{< a >}}", "a\n===\n", "|a|b|\n|-|-|\n", "<!--", "<p>\n", ":::note a\n"),
    *("</Ab>\n", "\x0c", "\u2028", "é", ":\n"),
)
PIECES = st.sampled_from([*(MARKDOWN + PLAIN).splitlines(keepends=True), *ODD])
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=40).map("".join)
FORMATS = st.sampled_from(["markdown", "text", "rst", "org", "code", "csv", "log", "pdf"])


@given(TEXTS, FORMATS)
def test_blocks_are_in_order_apart_and_stripped(text: str, document_format: str) -> None:
    position = 0
    blocks = blocks_of_text(text, document_format)
    known = {block.extent for block in blocks}
    for block in blocks:
        assert position <= block.start_char < block.end_char <= len(text)
        shown = text[block.start_char : block.end_char]
        assert shown == shown.rstrip()
        assert block.kind is BlockKind.CODE or shown == shown.lstrip()
        assert block.lead is None or block.lead in known
        assert block.lead is None or block.lead[1] <= block.start_char
        position = block.end_char
        covered = block.start_char
        for start, end in block_sentences(text, block):
            assert covered <= start < end <= block.end_char
            assert not text[covered:start].strip()
            covered = end
        assert not text[covered : block.end_char].strip()


HOSTILE = {
    "quotes": "> " * 10_000 + "x",
    "quoted lines": ("> " * 50 + "x\n") * 2_500,
    "lists": "".join("  " * depth + "- x\n" for depth in range(500)) * 5,
    "one line": "a" * 1_000_000,
    "marks": "- " * 30_000,
    "rows": "|" * 100_000,
    "table": "|a" * 1_000 + "|\n" + "|-" * 1_000 + "|\n" + "|\n" * 10_000,
    "fences": "```\n" * 10_000,
    "open fence": "```\n" + "x\n" * 100_000,
    "definitions": "[a]: b\n" * 10_000,
    "open definitions": "[a" * 10_000,
    "tags": "<a\n" * 10_000,
    "comments": "<!--\n" * 10_000,
    "shortcodes": "{{<" * 100_000,
    "braces": "{{< x >}} y\n" * 5_000,
    "open braces": "import 'x'\n" + "<a {'\n{% \"" * 10_000,
    "closing marks": "</Ab>\n" + "    </a>\n" * 10_000 + "x\n",
    "admonitions": ":::note\n" * 10_000 + ":::\n" * 4_500,
    "spaces behind colons": ":::x" + " " * 30_000 + "y",
    "blank lines of a module": "import 'x'\n" + "\n" * 30_000 + "}",
    "exports": "export const a = {\n\n  {\n" * 5_000,
    "items": "1. x\n" * 10_000,
    "underlines": "a\n=\n" * 10_000,
    "colons": "a:\n\n    b\n\n" * 5_000,
    "titles": '[a]: b "\n' * 10_000,
    "blank": "\n \n" * 30_000,
    "objects": "".join(" " * depth + "{\n" for depth in range(1_500))
    + "# x\n" * 30_000
    + "}\n" * 10,
    "decorators": "import x\n" + "  @a\n" * 30_000 + "  def a(" * 20_000,
}


@pytest.mark.parametrize("document_format", ["markdown", "text", "code"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_in_time(name: str, document_format: str) -> None:
    text = HOSTILE[name]
    with cpu_within(2):
        pieces = list(chunk_parts([Part(text)], document_format))
    assert sum(len("".join(piece.text.split())) for piece in pieces) == len("".join(text.split()))


def test_what_is_counted_or_in_capitals_between_blank_lines_is_a_heading_of_plain_text() -> None:
    said = "\n\nThe kiln is lit at dusk.\n\n"
    titles = (
        *("CHAPTER II", "Appendix A: Fees", "HOUSE RULES", "§ 4 Kilns", "Article 5 – Fees"),
        *("7.  Status Codes", "3. TERM AND FEES", "7.4 Kilns", "7.4.1.  Defined Status Codes"),
    )
    found = read(said.join(["", *titles, ""]), "text")
    headings = [(level, text) for kind, level, text, _ in found if kind == "heading"]
    assert headings == list(zip((1, 1, 1, 2, 2, 2, 2, 3, 4), titles, strict=True))
    lines = ("1. Open the valve", "7.4 It is lit.", "2.1 Kilns ...... 7", "STOP!", "北京", "Part")
    found = read(said.join(["", *lines[:-1], ""]) + "Part 2\nis lit by hand.", "text")
    assert "heading" not in {kind for kind, *_ in found}
    note = "ALARM CODE\n\nBLUE BIRD\n\nWIFI: KILN\n\nCODE 42\n\n"
    assert [kind for kind, *_ in read(note, "text")] == ["heading", *["paragraph"] * 3]


def test_lines_that_markdown_breaks_are_blocks_where_it_breaks_all() -> None:
    text = "**Class** 22  \n_Speed_ 40 ft.\\\nLong<br>\nLast\n\nIt is  \nwrapped\nhere.\n"
    lines = ["**Class** 22", "_Speed_ 40 ft.\\", "Long<br>", "Last", "It is  \nwrapped\nhere."]
    assert [said for _, _, said, _ in read(text, "markdown")] == lines


def test_prose_between_two_lines_across_is_no_front_matter() -> None:
    prose = ("paragraph", 0, "Fire it slowly.", None)
    assert read("---\n\nFire it slowly.\n\n---\n", "markdown") == [prose]
    assert read("---\n---\nFire it slowly.\n", "markdown") == [prose]
    slide = read("---\n# Kilns\n---\nFire it slowly.\n", "markdown")
    assert slide == [("heading", 1, "Kilns", None), prose]
    noted = read("---\nFire it slowly.\n\nNote: keep it.\n\n---\n", "markdown")
    assert noted == [prose, ("paragraph", 0, "Note: keep it.", None)]
    table = read("+++\n# of TOML\n[page]\nmade = 1\n+++\nFire it slowly.\n", "markdown")
    assert table == [("metadata", 0, "made = 1", None), prose]


def test_what_stands_behind_a_comment_is_read() -> None:
    line = "<!-- lint off --> Fire it slowly."
    assert read(f"{line}\n\n<!-- a --> <!-- b -->\n", "markdown") == [("paragraph", 0, line, None)]


def code_of(text: str) -> list[tuple[int, str]]:
    found = blocks_of_text(text, "code")
    return [(block.level, text[block.start_char : block.end_char]) for block in found]


def test_code_is_parted_where_a_definition_begins() -> None:
    text = """import pump

# Shuts it.
class Weir:
    bar = "oak"

    # By hand.
    @locked
    def shut(self):
        self.bar = None

        return 1
    def open(self):
        return 2

# Said of all:

WEIRS = [
    1,
]
"""
    assert code_of(text) == [
        (0, "import pump"),
        (0, '# Shuts it.\nclass Weir:\n    bar = "oak"'),
        (0, "    # By hand.\n    @locked\n    def shut(self):\n        self.bar = None"),
        (1, "        return 1"),
        (0, "    def open(self):\n        return 2"),
        (0, "# Said of all:"),
        (0, "WEIRS = [\n    1,\n]"),
    ]


def test_data_are_parted_into_objects_that_are_short_enough_to_be_shown() -> None:
    long = "x" * 300
    lea = f"weirs:\n- name: Lea\n  said: {long}\n  bars:\n    ash: 2\n    # The best.\n    oak: 3"
    ure = "- name: Ure\n  bars:\n    ash: 5"
    assert code_of(f"on: 1\n{lea}\n{ure}\n\ngates: {{}}\n") == [
        (0, "on: 1"),
        (WHOLE, lea),
        (WHOLE, ure),
        (0, "gates: {}"),
    ]
    begins = f'[\n {{\n  "name": "Lea",\n  "said": "{long}",'
    bars = '  "bars": {\n   "ash": 2\n  },'
    gates = f'  "gates": [\n   {{\n    "name": "{long}"\n   }}\n  ]\n }}\n]'
    assert code_of(f"{begins}\n{bars}\n{gates}") == [(0, begins), (WHOLE, bars), (WHOLE, gates)]


def test_lines_of_marks_alone_are_in_no_block_but_in_code() -> None:
    page = (
        '{{< tabs "a" >}}\n<div class="x">\n\nFire it.\n{% endif %}\n:::note\nKeep it.\n:::\n'
        "<summary>\nHot <b>kilns</b>\n</summary>\n\n<https://kilns.example>\n\n"
        "> [!NOTE]\n>\n> Slowly.\n\n> [!TIP]- By night\n> it cools.\n\n"
        "- [Glazes](#glazes)\n  * [Salt](#salt)\n- [Clay](clay.md)\n\n"
        "![Kiln](a.png) [![built](b.svg)](c)\n![](d.png){width=9}\n![[Kiln.png|100]]\n\n"
        "/// tip | Title\nAsk.\n///\n\n"
        "<Tab label='b'>\n\n    <Directory a>\n    </Directory>\n\n"
        "```sh\n<div>\n{% if %}\n```\n</Tab>\n</div>\n"
    )
    shown = [(kind, text) for kind, _, text, _ in read(page, "markdown")]
    assert shown == [
        ("paragraph", "Fire it."),
        ("paragraph", "Keep it."),
        ("paragraph", "Hot <b>kilns</b>"),
        ("paragraph", "<https://kilns.example>"),
        ("note", "Slowly."),
        ("note", "By night\n> it cools."),
        ("item", "- [Clay](clay.md)"),
        ("paragraph", "Ask."),
        ("code", "    <Directory a>\n    </Directory>"),
        ("code", "<div>\n{% if %}"),
    ]
