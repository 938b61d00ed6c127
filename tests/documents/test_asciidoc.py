"""AsciiDoc: its clean text, line for line, and its blocks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from document_files import save
from whole_document import read_document

from rag.documents.asciidoc_blocks import read_blocks
from rag.documents.grammar import LONGEST
from rag.documents.registry import open_document

MANUAL = """\
= Pump manual
Ada Lane <ada@example.org>
:product: Pump *Nine*
// not to be seen

[[start]]
== Start

A {product} obeys linkgit:valve[5] and <<oil>>, as `run --{fast}` in *all*
cases_of_names, see https://example.org/a[the _book_^]
or {undefined}footnote:[Not kbd:[x].].

WARNING: Never touch
the _rod_.

ifdef::wide[]
`-s`::
`--slow`::
\tRuns `*slow*`.
// not to be seen
\tStill.
+
Second paragraph:
+
----
motor  *on*
// kept
  now
----
+
[NOTE]
====
Inner text.
====
endif::wide[]

include::secret.txt[]

Do this:

. One
.. deeper
** star
. Two

.Parts
[cols="1,2",options="header"]
|===
|part |price

|rod
|`3` a\\|b
2+|both
|===

[source,sh]
----
$ ls
----

[[oil]]
Thin oil
--------
image::x.png[Picture]

term:: said of
  it

'''

  literal  text

____
Quoted.
____

,===
a,"b,c"
,===
"""

OBEYS = (
    "A Pump Nine obeys valve(5) and Thin oil, as run --{fast} in all\n"
    "cases_of_names, see the book\nor {undefined} (Not x.)."
)


def shown(source: str) -> list[tuple[str, int, str, str | None]]:
    text, placed = read_blocks(source)
    assert text.count("\n") == source.count("\n")
    return [
        (
            block.kind.value,
            block.level,
            text[block.start_char : block.end_char],
            block.lead and text[slice(*block.lead)],
        )
        for _, block in placed
    ]


def test_markup_becomes_its_text_and_lines_stay() -> None:
    slow = "-s\n--slow\n\tRuns *slow*.\n\n\tStill."
    assert shown(MANUAL) == [
        ("heading", 1, "Pump manual", None),
        ("metadata", 0, "Ada Lane <ada@example.org>", None),
        ("heading", 2, "Start", None),
        ("paragraph", 0, OBEYS, None),
        ("note", 0, "WARNING: Never touch\nthe rod.", None),
        ("item", 1, slow, None),
        ("lead", 1, "Second paragraph:", None),
        ("code", 1, "motor  *on*\n// kept\n  now", "Second paragraph:"),
        ("note", 1, "NOTE:\n\nInner text.", None),
        ("lead", 0, "Do this:", None),
        ("item", 1, "1. One", "Do this:"),
        ("item", 2, "1. deeper", "1. One"),
        ("item", 3, "* star", "1. deeper"),
        ("item", 1, "2. Two", "Do this:"),
        ("lead", 0, "Parts", None),
        ("row", 0, "part | price", "Parts"),
        ("row", 0, "rod | 3 a|b", "part | price"),
        ("row", 0, "both", "part | price"),
        ("code", 0, "$ ls", None),
        ("heading", 2, "Thin oil", None),
        ("item", 1, "term: said of\n  it", None),
        ("code", 0, "  literal  text", None),
        ("note", 0, "Quoted.", None),
        ("row", 0, "a | b,c", None),
    ]
    text, placed = read_blocks(MANUAL)
    source = MANUAL.split("\n")
    for _, block in placed:
        first = text.count("\n", 0, block.start_char)
        last = text.count("\n", 0, block.end_char)
        word = text[block.start_char : block.end_char].split()[-1].strip("().,|b")
        assert any(word in line for line in source[first : last + 2]), word
    for residue in ("seen", "[[", "::", "|===", "----", "Picture", "secret"):
        assert residue not in text


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("*a* _b_ `c` #d# **e**f __g__h [.role]#i#", "a b c d ef gh i"),
        ("2 * 3 * 4, a_b_c, HEAD~2, stash@{0}, C#", "2 * 3 * 4, a_b_c, HEAD~2, stash@{0}, C#"),
        ("`*.c` and `a_b` `--[no-]x` `<n>`", "*.c and a_b --[no-]x <n>"),
        (r"\*a* \{sp} `+{sp}+` +*b*+ ++_c_++", "*a* {sp} {sp} *b* _c_"),
        ("link:x.html[the *page*] xref:a.adoc#b[there] https://x.org[] <https://y.org>",
         "the page there https://x.org https://y.org"),
        ("<<_thin_oil>> <<x,see `<y>`>> [[id]]here (((index,of)))((term))",
         "thin oil see <y> here term"),
        ("kbd:[Ctrl+C] menu:File[Save > As] btn:[OK] image:x.png[] man:ls[1]",
         "Ctrl+C File > Save > As OK  ls(1)"),
        ("* [[[book]]] Title", "* [book] Title"),
        ("broken +\nline", "broken\nline"),
        ("'quoted' ``more''", "'quoted' ``more''"),
        ("the ``don't do'' part of `--do`", "the ``don't do'' part of --do"),
    ],
)  # fmt: skip
def test_what_is_shown_of_a_paragraph(written: str, seen: str) -> None:
    assert read_blocks(written)[0] == seen


def test_an_underlined_title_makes_quotes_emphasis() -> None:
    text, _ = read_blocks("Tool\n====\n\nRun 'git am', don't; ``all of it''.\n")
    assert text == '# Tool\n\n\nRun git am, don\'t; "all of it".\n'


def test_quotes_of_two_signs_leave_the_code_behind_them_alone() -> None:
    text, _ = read_blocks("Tool\n====\n\nThe ``don't do'' part\nof `--do` and `--all`.\n")
    assert text == '# Tool\n\n\nThe "don\'t do" part\nof --do and --all.\n'


@pytest.mark.parametrize(
    ("title", "seen"),
    [("= Tool", "``see the part, not *all*''"), ("Tool\n====", '"see the part, not *all*"')],
)
def test_markup_within_quotes_of_two_signs_is_read(title: str, seen: str) -> None:
    text, _ = read_blocks(f"{title}\n\nSo ``see <<p,the _part_>>, not \\*all*'' says.\n")
    assert text.rstrip().endswith(f"So {seen} says.")


def test_an_attribute_holds_from_its_line_on() -> None:
    text, _ = read_blocks("{x}\n\n:x: one \\\n  two\n:!y:\n\n{x} {y}\n\n:!x:\n\n{x}\n")
    assert text.split() == ["{x}", "one", "two", "{y}", "{x}"]


def test_attributes_are_no_text_but_those_that_say_what_the_document_is() -> None:
    header = ":idprefix:\n:idseparator: -\n:docinfo: shared\n:revdate: 2024-05-06\n:!toc:\n"
    source = f"= Pumps\n{header}\nThey lift.\n\n:docinfo: private\n:empty:\n\nThey fall.\n"
    assert [each[2] for each in shown(source)] == [
        "Pumps", "revdate: 2024-05-06", "They lift.", "They fall."
    ]  # fmt: skip
    assert read_blocks(source)[0].split("\n")[1:4] == ["", "", ""]


def test_rows_that_cells_reach_into() -> None:
    table = "|===\n|a |b |c\n\n.2+|x |1 |2\n|3 |4\n3*|z\n|===\n"
    rows = [each[2] for each in shown(table)]
    assert rows == ["a | b | c", "x | 1 | 2", "3 | 4", "z | z | z"]
    assert [each[3] for each in shown(table)] == [None, *["a | b | c"] * 3]
    assert [each[3] for each in shown(table.replace("c\n\n", "c\n"))] == [None] * 4


def test_a_header_may_begin_with_an_empty_cell() -> None:
    table = "|===\n| |price\n\n|rod |3\n|===\n"
    assert [each[2] for each in shown(table)] == ["| price", "rod | 3"]


def test_code_that_is_not_closed_swallows_nothing() -> None:
    assert [each[0] for each in shown("A long line.\n\n-------\n\nText.\n\n== End\n")] == [
        "paragraph", "paragraph", "heading"
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", [".adoc", ".asciidoc", ".asc"])
def test_no_other_file_is_read(tmp_path: Path, suffix: str) -> None:
    save(tmp_path, "secret.txt", "the secret")
    text = "= On pumps\n\ninclude::secret.txt[]\n\n|===\n|a\ninclude::secret.txt[]\n|===\n"
    path = save(tmp_path, f"a{suffix}", text)
    with open_document(path) as stream:
        (part,) = stream.parts
        assert (stream.title, stream.format) == ("On pumps", "asciidoc")
    assert part.blocks is not None
    assert "secret" not in part.text


def test_a_long_file_keeps_its_headings(tmp_path: Path) -> None:
    line = "Text of a pump.\n"
    text = "= Pumps\n\n" + line * (LONGEST["asciidoc"] // len(line)) + "\n== End\n"
    document = read_document(save(tmp_path, "a.adoc", text), "a.adoc")
    assert (document.title, document.text[-7:]) == ("Pumps", "## End\n")


@pytest.mark.parametrize(
    "text",
    [
        "`a " * 10_000,
        "_a " * 100_000,
        "a:" * 250_000,
        "a:[" * 100_000,
        "x[y[z[" * 50_000,
        "<<a," * 50_000,
        "<http://" * 25_000,
        ":a: " + "x" * 900 + "\n:b: " + "{a}" * 900 + "\n\n" + "{b}\n" * 50_000,
        "".join("=" * (4 + depth) + "\n" for depth in [*range(1000), *range(999, -1, -1)]),
        "".join("-" * (4 + number) + "\n" for number in range(1300)),
        "|===\n" + "|a\n" * 100_000 + "|===",
        "|===\n" + "999*|a\n" * 10_000 + "|===",
        '[cols="999*,999*"]\n|===\n' + ".999+|a\n" * 25_000 + "|===",
        ",===\n" + '"a\n' * 25_000 + ",===",
        "a::\n" * 50_000,
        "a::b " * 50_000,
        "".join("*" * (number % 5 + 1) + " x\n" for number in range(25_000)),
        ":a: x \\\n" * 25_000,
        "[[a]]\n== b\n" * 25_000,
        "ifdef::a[]\n" * 50_000,
        " " * 250_000 + "x",
        "x" * 1_000_000,
    ],
    ids=range(22),
)
def test_hostile_files_are_read_in_time(tmp_path: Path, text: str) -> None:
    path = save(tmp_path, "a.adoc", text + "\n\nThe end.\n")
    begin = time.process_time()
    read = read_document(path, path.name).text
    assert time.process_time() - begin < 5
    assert read.rstrip().endswith("The end.")
    assert len(read) < 4 * len(text) + (1 << 20)
