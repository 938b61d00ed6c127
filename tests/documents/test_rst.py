"""reStructuredText: its clean text, line for line, and its blocks."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from whole_document import read_document

from rag.documents.registry import open_document
from rag.documents.rst_blocks import read_blocks

MANUAL = """\
PEP: 9999
Title: On pumps
Author: Ada <ada@example.org>,
        Bob
Created: 1-Apr-2001

.. _top:

Pumps
=====

A pump obeys :pep:`8` and `the
rules <https://example.org>`_, as ``run()`` in :func:`~pumps.motor.run` says;
see differences_ [1]_.

.. note:: Never touch
   the *rod*.

.. versionadded:: 3.1
   Runs backwards, too.

Start it::

    motor  ``on``
      now

* one:

  .. code-block:: sh

     $ ls ``x``

* two
  lines

pressure
    Of the **oil**.

.. option:: --fast

   Runs faster.

====  ======
part  price
====  ======
rod   ``3``
====  ======

.. not to be seen

Oil
---

:Kind: thin

.. [1] See the book.
"""


OBEYS = "A pump obeys PEP 8 and the\nrules, as run() in run says;\nsee differences [1]."


def test_markup_becomes_its_text_and_lines_stay() -> None:
    text, placed = read_blocks(MANUAL)
    assert text.count("\n") == MANUAL.count("\n")
    shown = [
        (
            block.kind.value,
            block.level,
            text[block.start_char : block.end_char],
            block.lead and text[slice(*block.lead)],
        )
        for _, block in placed
    ]
    assert shown == [
        ("metadata", 0, "PEP: 9999", None),
        ("metadata", 0, "Title: On pumps", None),
        ("metadata", 0, "Author: Ada <ada@example.org>,\n        Bob", None),
        ("metadata", 0, "Created: 1-Apr-2001", None),
        ("heading", 1, "Pumps", None),
        (
            "paragraph",
            0,
            "A pump obeys PEP 8 and the\nrules, as run() in run says;\nsee differences [1].",
            None,
        ),
        ("note", 0, "note: Never touch\n   the rod.", None),
        ("note", 0, "versionadded: 3.1\n   Runs backwards, too.", None),
        ("lead", 0, "Start it:", None),
        ("code", 0, "    motor  ``on``\n      now", "Start it:"),
        ("item", 1, "* one:", None),
        ("code", 1, "     $ ls ``x``", "* one:"),
        ("item", 1, "* two\n  lines", None),
        ("item", 1, "pressure\n    Of the oil.", None),
        ("item", 0, "option: --fast\n\n   Runs faster.", None),
        ("row", 0, "part | price", None),
        ("row", 0, "rod | 3", "part | price"),
        ("heading", 2, "Oil", None),
        ("metadata", 0, "Kind: thin", None),
        ("paragraph", 0, "[1] See the book.", None),
    ]
    source = MANUAL.split("\n")
    for _, block in placed:
        line = text.count("\n", 0, block.start_char)
        word = text[block.start_char : block.end_char].split()[-1].strip("[].,")
        assert any(word.strip("|") in each for each in source[line : line + 4]), word
    assert "seen" not in text


TABLE = """\
.. csv-table:: Parts, *all*
   :header: "part", "price"
   :widths: 2, 1

   rod,``3``
   "oil, thin",":func:`~a.b`
   or more"

Text.
"""


def test_comma_separated_values_are_rows_below_their_header() -> None:
    text, placed = read_blocks(TABLE)
    assert text.count("\n") == TABLE.count("\n")
    assert [
        (
            block.kind.value,
            text[block.start_char : block.end_char],
            block.lead and text[slice(*block.lead)],
        )
        for _, block in placed
    ] == [
        ("lead", "Parts, all", None),
        ("row", "part | price", "Parts, all"),
        ("row", "rod | 3", "part | price"),
        ("row", "oil, thin | b or more", "part | price"),
        ("paragraph", "Text.", None),
    ]
    assert text.count("part") == 1


DRAWN = """\
===  ==========    =======
 id  Name          Species
---  ----------    -------
  1  Vine St       Palm,
                   old

  2                Oak
===  ==========    =======

+------+-------+
| part | price |
+------+-------+
| rod  |     3 |
|      +-------+
|      | 4     |
+------+-------+

Text.
"""


def test_the_rows_of_a_drawn_table_stand_on_the_lines_that_they_begin_on() -> None:
    text, placed = read_blocks(DRAWN)
    lines = DRAWN.split("\n")
    shown = [
        (text.count("\n", 0, block.start_char), text[block.start_char : block.end_char])
        for _, block in placed
    ]
    assert shown == [
        (1, "id | Name | Species"),
        (3, "1 | Vine St | Palm, old"),
        (6, "2 |  | Oak"),
        (10, "part | price"),
        (12, "rod | 3"),
        (14, "4"),
        (len(lines) - 2, "Text."),
    ]


def test_what_begins_behind_a_mark_is_read_with_it() -> None:
    source = "- ``rod`` : a part\n    Is pushed.\n\n-f FILE  Reads *it*.\n--slow\n         Waits.\n"
    text, placed = read_blocks(source)
    assert [text[block.start_char : block.end_char] for _, block in placed] == [
        "- rod : a part\n    Is pushed.",
        "-f FILE  Reads it.",
        "--slow\n         Waits.",
    ]


GIVEN = """\
.. function:: open(path)
   :noindex:
   :module: io

   Opens a file.

.. note::
   :class: wide

   Mind the gap.

.. method:: close(now)
   :param now: at once
"""


def test_a_directive_s_options_are_not_shown() -> None:
    text, placed = read_blocks(GIVEN)
    shown = [" ".join(text[b.start_char : b.end_char].split()) for _, b in placed]
    assert shown == [
        "function: open(path) Opens a file.",
        "Mind the gap.",
        "method: close(now) :param now: at once",
    ]
    assert text.count("\n") == GIVEN.count("\n")
    assert text.split("\n")[4] == "   Opens a file."


LISTED = """\
.. list-table:: Prices, *all*
   :header-rows: 1

   * - part
     - price
   * - rod
     - ``3``,

       at least
   * -
     - 4

.. list-table:: No table

   Only a sentence.
"""


def test_the_lists_of_a_list_table_are_rows_below_their_header() -> None:
    text, placed = read_blocks(LISTED)
    assert [(b.kind.value, text[b.start_char : b.end_char]) for _, b in placed[:4]] == [
        ("lead", "Prices, all"),
        ("row", "part | price"),
        ("row", "rod | 3, at least"),
        ("row", "| 4"),
    ]
    assert text.split("\n")[5] == "rod | 3, at least"
    assert "Only a sentence." in text


def test_a_reference_to_a_footnote_without_a_number_leaves_nothing() -> None:
    source = "It runs [#]_, cold [#oil]_ [*]_; see [1]_.\n\n.. [#] Here.\n.. [#oil]\n   There.\n"
    assert read_blocks(source)[0] == "It runs, cold; see [1].\n\nHere.\n\n   There.\n"


def test_a_document_is_called_by_its_title_field(tmp_path: Path) -> None:
    file = tmp_path / "a.rst"
    file.write_text(MANUAL)
    assert read_document(file, "a.rst").title == "On pumps"
    file.write_text("Pumps\n=====\n\nText.\n")
    with open_document(file) as stream:
        (part,) = stream.parts
        assert (stream.title, part.text) == ("Pumps", "# Pumps\n\n\nText.\n")
        assert part.blocks is not None
        assert [block.kind.value for _, block in part.blocks] == ["heading", "paragraph"]


def test_no_other_file_and_nothing_raw_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    file = tmp_path / "a.rst"
    names = ("include", "literalinclude", "csv-table", "raw", "image")
    file.write_text(
        "".join(
            f".. {name}:: {secret}\n   :file: {secret}\n   :url: {secret}\n\n" for name in names
        )
        + f".. |x| include:: {secret}\n\nText |x|.\n"
    )
    assert "secret" not in read_document(file, "a.rst").text.replace(str(secret), "")


@pytest.mark.parametrize(
    "text",
    [
        "".join(" " * depth + "* x\n\n" for depth in range(800)),
        "*" * 20_000,
        "`a " * 10_000,
        "|" * 20_000 + "\n",
        "a_ " * 20_000,
        "".join(f".. d{number}:: x\n\n   y\n\n" for number in range(3_000)),
        "".join(f".. _t{number}: x\n" for number in range(5_000)),
        "a\n=\n" * 5_000,
        "".join(
            f"a{number}\n" + "=!#$%&'*+,-.:;<>?@^_`{|}~"[number % 24] * 9 + "\n"
            for number in range(300)
        ),
        ".. " * 10_000,
        "x" * 1_000_000,
        "+---+\n" * 5_000,
        "=== ===\n" * 5_000,
        "- " * 2_000 + "x",
        ">>> " * 20_000,
        ":a:\n" * 10_000,
    ],
    ids=range(16),
)
def test_hostile_files_are_read_in_time(
    tmp_path: Path, text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.rst"
    file.write_text(text + "\n\nThe end.\n")
    begin = time.process_time()
    assert read_document(file, "a.rst").text.rstrip().endswith("The end.")
    assert time.process_time() - begin < 20
    assert capfd.readouterr() == ("", "")
    assert sys.getrecursionlimit() < 10_000
