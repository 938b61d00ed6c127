"""A quote is located word for word, but for whitespace, markup and typography, or nearly so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_time import cpu_within
from openai_samples import chunk_of, document_of

from rag.citations.locate import locate

TEXT = """# Locks

> A lock is **stale** when it is older than 30 minutes, see [the manual](https://x.example/a_b).

Use `restic unlock --remove-all` to don’t wait; the lock is then re\u00admoved. It does not
overwrite files that exist in the repository already.

| option | default |
|---|---|
| keep | 7 |

The word [cafe\u0301](https://x.example/Cafe_(word)) is French.
"""


def found(quote: str, text: str = TEXT) -> list[str]:
    return [text[p.start : p.end] for p in locate(quote, document_of(1, chunk_of("locks", text)))]


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("A lock is stale when it is older", "A lock is **stale** when it is older"),
        ("see the manual.", "see [the manual"),
        ("restic unlock --remove-all to don't  wait", "restic unlock --remove-all` to don’t wait"),
        ("the lock is then removed. It", "the lock is then re\u00admoved. It"),
        ("when it is older than 30 minutes,", "when it is older than 30 minutes,"),
        ("in the repository already.”", "in the repository already."),
        ("“| keep | 7 |”", "| keep | 7 |"),
        ("`restic unlock --remove-all` to", "`restic unlock --remove-all` to"),
        ("--remove-all` to don't wait", "--remove-all` to don’t wait"),
        ("word caf\u00e9 is", "word [cafe\u0301](https://x.example/Cafe_(word)) is"),
    ],
)
def test_marks_white_space_and_typography_tell_no_quote_from_its_place(quote, stands):
    assert found(quote) == [stands]


@pytest.mark.parametrize(
    "quote",
    [
        *("NAME={{ year }}/{{ title }}", "A: Token <token>", '["^~", "^temp_", "end$",', "三天"),
        "a flag, a `CRAG_…` variable nor the file",
    ],
)
def test_signs_and_characters_that_are_words_are_part_of_a_quote(quote):
    assert found(quote, f"Set {quote} there.") == [quote]


CODE = """\
// Limiter is a token bucket per shop. It lives in memory, so each of the three
// gateway pods counts by itself.
/// Test tokens have a tenth
/// of the rate.
# A poll that fails
# is tried 6 times, a third of them at once.
rate = limits[1] / 10  // see above
"""


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("so each of the three gateway pods", "so each of the three\n// gateway pods"),
        ("so each of the three\n// gateway pods", "so each of the three\n// gateway pods"),
        ("each of the three // gateway pods", "each of the three\n// gateway pods"),
        ("have a tenth of the rate", "have a tenth\n/// of the rate"),
        ("A poll that fails is tried 6 times", "A poll that fails\n# is tried 6 times"),
        ("rate = limits[1] / 10 see above", "rate = limits[1] / 10  // see above"),
        ("counts by itself [1].", "counts by itself."),
        ("counts by itself. [1][2]", "counts by itself."),
        ("rate = limits[1]", "rate = limits[1]"),
    ],
)
def test_the_marks_of_comments_and_a_marker_behind_it_are_no_part_of_a_quote(quote, stands):
    assert found(quote, CODE) == [stands]


@pytest.mark.parametrize("quote", ["rate = limits[1] 10", "rate = limits[2]", "6 times [1] a"])
def test_a_slash_of_code_an_index_and_a_marker_within_it_are(quote):
    assert found(quote, CODE) == []


def test_a_quote_with_all_its_signs_is_found_before_one_of_the_same_words():
    for quote in ("`-S`::\n`--staged`::", "# ... hack hack ..."):
        assert found(quote, f"git [-S | --staged] # hack hack\n\n{quote} It stashes.\n") == [quote]


def test_words_that_a_site_generator_is_to_show_are_part_of_a_quote():
    text = 'Alert the crew in {% channel "lost-tools" "C12" %} at once.'
    assert found("in lost-tools at once.", text) == [text[text.index("in {") :]]


def test_a_quote_that_stands_twice_is_found_behind_another():
    text = "ONE=<bool>\n: Of it. (default True)\n\nTWO=<bool>\n: More. (default True)\n"
    document = document_of(1, chunk_of("settings", text))
    second = text.index("TWO")
    for behind, stands in ((0, text.index("(")), (second, text.rindex("("))):
        (place,) = locate("(default True)", document, behind)
        assert place.start == stands


def test_a_line_of_headings_before_a_quote_is_no_part_of_it():
    excerpt = {
        **chunk_of("log", "- Fix: a lock\n- New: a key\n"),
        "heading": "Log > 2.14.0 > Fixes",
    }
    document = document_of(1, excerpt)
    (place,) = locate("(Log > 2.14.0 > Fixes)\n- New: a key", document)
    assert excerpt["text"][place.start : place.end] == "- New: a key"
    assert locate("(Log > 2.14.0 > Fixes)", document) == []


def test_a_near_match_is_taken_at_its_real_wording():
    (stands,) = found("It does not overwrite any files that exist in the repository already")
    assert stands.startswith("It does not\noverwrite files that exist")


@pytest.mark.parametrize(
    "quote",
    [
        "A lock is stale when it is older than 20 minutes",
        "It does overwrite files that exist in the repository already",
        "A lock is stale when it was made by another host and is forgotten",
        "the",
        "",
        "…",
        "A lock is stale … and the moon is made of cheese",
    ],
)
def test_another_number_a_denial_and_what_is_made_up_stand_nowhere(quote):
    assert found(quote) == []


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        (' <link rel="style" href="a.css">', ['<link rel="style" href="a.css">']),
        ("{% for lock in locks %}", ["{% for lock in locks %}"]),
        ('<link rel="style">', []),
        ("<b>", []),
    ],
)
def test_a_quote_that_is_markup_only_stands_where_its_letters_do(quote, stands):
    text = 'A page has <b>a</b> <link rel="style" href="a.css"> and {% for lock in locks %} below.'
    assert found(quote, text) == stands


def test_pieces_between_ellipses_are_located_each():
    assert len(found("A lock is stale … the lock is then removed")) == 2


def test_a_quote_that_goes_on_in_the_next_excerpt_is_located_in_both():
    first, second = "Adults pay 3 pounds.", "Children pay 2 pounds in May."
    start = len(first) + 2
    next_ = {**chunk_of("b", second), "start_char": start, "end_char": start + len(second)}
    document = {**document_of(1, chunk_of("a", first)), "excerpts": [chunk_of("a", first), next_]}
    spans = locate("pay 3 pounds. Children pay 2 pounds", document)
    places = [(span.excerpt["chunk_id"], span.start, span.end) for span in spans]
    assert places == [("a", 7, 19), ("b", start, start + 21)]


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_is_looked_for_in_any_other(quote, text):
    assert all(place in text for place in found(quote, text))


@pytest.mark.parametrize(
    "unit", ["a ", "a b ", "ab\u00ad", "> ", "<x", "{{<", "[](", "](()", "1 ", " [1]", "// "]
)
def test_hostile_texts_are_searched_in_time(unit):
    with cpu_within(5):
        found(unit * 700 + "end", unit * 20_000)
