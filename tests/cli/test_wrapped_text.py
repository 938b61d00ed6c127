"""An answer as wide as the terminal: what is copied from it is what was written."""

import re
from io import StringIO
from itertools import pairwise

import pytest
from crag import HIGH, crag, shown_in_terminal
from rich.console import Console
from rich.text import Text

from cli.render.answer_text import answer_lines, print_wrapped, source_lines, styled
from cli.terminal import Terminal

WIDTH = 24


def printed(text):
    out = StringIO()
    console = Console(file=out, width=WIDTH, highlight=False, markup=False, force_terminal=True)
    print_wrapped(console, text if isinstance(text, Text) else Text(text))
    return out.getvalue().removesuffix("\n")


def test_prose_is_wrapped_at_words_and_an_item_stands_clear_of_its_sign():
    assert printed("A kiln is a furnace that is fired twice.\n\n- It is hot, and stays hot.") == (
        "A kiln is a furnace that\nis fired twice.\n\n- It is hot, and stays\n  hot."
    )
    # Wide signs count for two.
    assert printed("倉庫の営業 時間は午前 九時からです") == "倉庫の営業 時間は午前\n九時からです"


def test_code_and_addresses_keep_their_lines_and_a_row_goes_on_further_in():
    for text in (
        "```sh\nkilnctl start --slowly --and --quietly\n\n  --all\n```",
        "    kilnctl start --slowly --and --quietly",
        "https://kilns.example/a/very/long/address.html",
    ):
        assert printed(text) == text
    assert printed("```\na\n```\nIt is fired twice, and hot.").endswith("twice, and\nhot.")
    row = "Cone | Heat | Colour of the glaze"
    assert printed(row) == "Cone | Heat | Colour of\n  the glaze"


@pytest.mark.parametrize(
    ("best", "shown"),
    [
        ("It is hot [2], and it\n> cools by night.", "It is hot (2), and it cools by night."),
        ("--keep\n\tKeeps the\n\tkiln hot.", "--keep\n  Keeps the kiln hot."),
    ],
)
def test_the_best_is_bold_though_it_is_shown_with_other_marks_unless_it_is_all(best, shown):
    place = {"source": "a.md", "anchor": None, "start_line": 1, "marker": 1, "best": best}
    for around, times in (("By day: {}", 1), ("{}", 0)):
        held = {**place, "quote": "Of day and night.", "shown": around.format(shown)}
        text = styled({"answer": "", "citations": [held], "nearest": []})
        marked = [each for each in text.spans[1:] if each.style == "bold"]
        said = [text.plain[each.start : each.end].split() for each in marked]
        assert said == [shown.split()] * times


def test_a_snippet_stands_below_its_place_and_says_so_once():
    place = {"source": "kiln.md", "page": None, "anchor": None, "start_line": 25, "end_line": 27}
    shown = {"quote": "a", "shown": "It is hot:\n\n    a b"}
    held = {**place, **shown, "marker": 1, "heading": "Firing"}
    slide = {**held, "marker": 2, "heading": "", "start_line": None, "page": 3}
    slide["anchor"] = "slide 3"
    answered = {"answer": "It is hot … [1]", "citations": [held, slide], "nearest": []}
    lines = ["1  Firing · kiln.md:25", "   It is hot:", "", "       a b", ""]
    lines += ["2  kiln.md slide 3", "   It is hot:", "", "       a b"]
    assert [*answer_lines(answered)] == lines
    unsure = {"answer": "Not sure.\n\nIt … [1]", "citations": [], "nearest": [held]}
    assert [*answer_lines(unsure)] == ["Not sure.", "", *lines[:4]]
    section = {**held, "title": None, "anchor": "section Firing", "start_line": None}
    assert [*source_lines([section])] == ["[1] kiln.md  Firing: “a”"]


@pytest.mark.parametrize("words", [("q", "-c", "no-such-collection"), (HIGH, "--trace", "-q")])
def test_no_word_that_fits_a_line_is_broken_at_the_edge_of_a_terminal(home, words):
    columns = 40
    shown, _ = shown_in_terminal(home, "ask", *words, columns=columns, COLUMNS=str(columns))
    piped = crag(home, "ask", *words)
    known = set((piped.stdout + piped.stderr).split())
    for above, below in pairwise(re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()):
        if len(above) == columns and below[:1].strip():
            word = above.split()[-1] + below.split()[0]
            assert word not in known or len(word) > columns // 2


def test_a_cell_whose_signs_are_replaced_loses_none_at_its_end(capsys):
    Terminal().table([{"name": "a\x07\x1b[31mb.md", "size": "1"}], none="")
    assert capsys.readouterr().out == "a\ufffd\ufffd[31mb.md  1\n"


def test_a_stored_answer_stands_as_it_stood_when_it_was_asked(home):
    columns, shown = 40, []
    asks = ("ask", HIGH, "--no-stream", "-q", "-t", "a-thread-that-is-named")
    for words in (asks, ("trace", "last"), ("trace", "list"), ("threads", "list")):
        text, _ = shown_in_terminal(home, *words, columns=columns, COLUMNS=str(columns))
        shown.append(re.sub(r"\x1b\[[\d;?]*[a-zA-Z]|\r", "", text))
    asked, traced = (each[each.index("1  Gillfoot") :].rstrip() for each in shown[:2])
    assert asked.count("\n   ") > 1
    assert traced == asked
    (traced,), (kept,) = (each.strip().splitlines() for each in shown[2:])
    assert len(traced) == len(kept) == columns, "what matters least is left out, then it is cut"
    assert kept == "a-thread-that-is-named  How high is the…"
    tree = shown[1][: shown[1].index("└─")].splitlines()
    assert all(line.startswith(("●", "│", "├─")) for line in tree if line.strip())
