"""reStructuredText: Markdown on the file's own lines."""

import sys
from pathlib import Path

import pytest
from in_time import cpu_within
from whole_document import read_document

from rag.documents.registry import open_document
from rag.documents.rst import as_markdown
from rag.text.blocks import blocks_of_text
from state.blocks import BlockKind

MANUAL = """\
.. _top:

=====
Pumps
=====

A pump obeys :pep:`PEP 8` and `the
rules <https://example.org>`_, as ``run()`` in :func:`~pumps.motor.run` says;
see `differences`_ [1]_.

* one:

  .. code-block:: sh
     :linenos:

     $ ls ``x``

pressure
    Of the **oil**.

====  ======
part  price
====  ======
rod   ``3``
====  ======

.. not to be seen

Oil
---

.. [1] See the book.
"""
SHOWN = """\



# Pumps


A pump obeys PEP 8 and the
rules, as `run()` in `pumps.motor.run` says;
see differences [1].

* one:




    $ ls ``x``

pressure
   Of the **oil**.


| part | price |
| --- | --- |
| rod | `3` |




## Oil


[1] See the book.
"""


def test_markup_becomes_its_words_and_every_line_keeps_its_number(tmp_path: Path) -> None:
    assert as_markdown(MANUAL) == SHOWN
    file = tmp_path / "a.rst"
    file.write_text(MANUAL)
    with open_document(file) as stream:
        (part,) = stream.parts
    assert part.anchor is None
    assert read_document(file).title == "Pumps"
    kinds = [block.kind.value for block in blocks_of_text(part.text, "rst")]
    assert kinds == [
        *("heading", "paragraph", "item", "code", "paragraph", "row", "row", "heading"),
        "paragraph",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls\n--\n\nText.", "# ls\n\n\nText."),
        ("a:ref:`x <y>`", "ax"),
        ("Go to `here`_ and `there`__.", "Go to here and there."),
        ("the :opt:`<user> <gui.user>` and :doc:`papers </a>`.", "the <user> and papers."),
        (".. graphviz::\n   :align: center\n\n   digraph g {}\n\nText", "\n\n\n\n\nText"),
        (".. versionadded:: 3.1\n   It came.", "Added in 3.1\n   It came."),
        (".. http:post:: /login", "POST /login"),
        (".. digraph:: flow\n\n   rankdir=LR; a -> b;\n\nText", "\n\n\n\nText"),
        (".. sectionauthor:: Ann <ann@pumps>\n\nText", "\n\nText"),
        (".. jupyter-execute:: ../a.py\n   :hide-output:\n\nText", "\n\n\nText"),
        (".. warning:: Keep\n   *away*.", "Warning: Keep\n   *away*."),
        (".. note::\n\n   Keep away.", "Note:\n\n   Keep away."),
        (".. seealso::\n   * the weir", "See also:\n   * the weir"),
        ("* the rod\n    of iron\n\n-o FILE\n   out", "* the rod\n   of iron\n\n-o FILE\n   out"),
        (".. image:: a.png\n   :alt: x\n\nText", "\n\n\nText"),
        ("#. a\n\n   #. of it\n#. b\n\nSo\n\n#. one", "- a\n\n   - of it\n- b\n\nSo\n\n- one"),
        ("(1) a (C#. b)\n\n\u2022 b", "1) a (C#. b)\n\n- b"),
        (".. figure:: a.png\n   :alt: A\n         rod\n   :scale: 2\n\n   Rod", "\n\n\n\n\n   Rod"),
        ("| a\n|\n| b", "a\n\nb"),
        (".. csv-table::\n   :header: a, b\n   :file: c.csv\n\nText", "\n\n\n\nText"),
        ("code::\n\n  a ``b``\n    c\nd", "code:\n\n    a ``b``\n      c\nd"),
        (">>> run()\n2", "    >>> run()\n    2"),
        ("Use ``ls\n-l`` (not ``1w``) there.", "Use `ls\n-l` (not `1w`) there."),
        (r"``\\?\ x`` and ``d:\``, a\ b \*c\* \|d\|", r"`\\?\ x` and `d:\`, ab *c* |d|"),
        ("See :ref:`the weir\n<weir>`.", "See the\nweir."),
        ("Version |release| of ``` ` ```.", "Version  of ``` ` ```."),
        (":program:`restic.exe`, :py:class:`a.b.C`, :ref:`E`", "`restic.exe`, `a.b.C`, E"),
        ("+---+-+\n| a|| b |\n+===+=+\n| long |\n+---+-+", "\n| a|| b |\n|---|---|\n| long |\n"),
    ],
)
def test_marks_become_markdown_or_nothing_and_code_stays_as_it_is(text: str, shown: str) -> None:
    assert as_markdown(text) == shown


def test_the_first_row_of_a_table_whose_columns_have_no_names_names_none() -> None:
    shown = as_markdown("====  ===\nrod   one\nbell  two\n====  ===\n")
    header, *rows = blocks_of_text(shown, "rst")
    assert shown[header.start_char : header.end_char] == "|  |"
    assert [(row.kind, row.lead) for row in rows] == [(BlockKind.ROW, header.extent)] * 2


def test_no_other_file_and_nothing_raw_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    file = tmp_path / "a.rst"
    names = ("include", "literalinclude", "csv-table", "raw", "image")
    file.write_text(
        "".join(f".. {name}:: {secret}\n   :file: {secret}\n\n" for name in names)
        + f".. |x| include:: {secret}\n\nText |x|.\n"
    )
    assert "secret" not in read_document(file).text.replace(str(secret), "")


HOSTILE = [
    "".join(" " * depth + "* x\n\n" for depth in range(800)),
    "*" * 20_000,
    "`a " * 10_000,
    "|" * 20_000 + "\n",
    "a_ " * 20_000,
    "".join(f".. d{number}:: x\n\n   y\n\n" for number in range(3_000)),
    "a\n=\n" * 2_500,
    "".join(f"a{n}\n" + "=!#$%&'*+,-.:;<>?@^_`{|}~"[n % 24] * 9 + "\n" for n in range(300)),
    ".. " * 10_000,
    "x" * 1_000_000,
    "+---+\n" * 5_000,
    "=== ===\n" * 5_000,
    "- " * 2_000 + "x",
    ">>> " * 20_000,
    "a::\n\n b\n" * 5_000,
    "".join(" " * depth + "a::\n\n" for depth in range(800)),
    "+---+\n" + "| a |\n" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_read_in_time(tmp_path: Path, text: str, capfd) -> None:
    file = tmp_path / "a.rst"
    file.write_text(text + "\n\nThe end.\n")
    with cpu_within(20):
        assert "The end." in read_document(file).text
    assert capfd.readouterr() == ("", "")
    assert sys.getrecursionlimit() < 10_000
