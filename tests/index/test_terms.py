import unicodedata
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.embed.protocol import EmbedderIdentity
from rag.index.candidates import query_terms, searched_terms
from rag.index.collection_rows import CollectionRow
from rag.index.home import catalog
from rag.index.home.queries import HomeQueries
from rag.index.home.vectors import ChromaIndex
from rag.index.ranking import best_window
from rag.index.tables import SQLITE_TABLES
from rag.index.terms import TERM_CHARACTERS, term_spans, terms
from state.sqlite_file import connect


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The running dogs' bowls", ["run", "dog", "bowl"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("getUserName()", ["getusername", "get", "user", "name"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("error E-1042.", ["error", "e-1042", "e", "1042"]),
        ("1,234,567 people, 0,0", ["1234567", "peopl", "0", "0"]),
        ("the 31st of May", ["31", "may"]),
        ("state-of-the-art", ["state", "art"]),
        ("the U.S.A.", ["usa"]),
        ("C++ and C#", ["c++", "c#"]),
        ("O\u2019Brien isn\u2019t", ["o", "brien", "isn"]),
        ("Café CAFE\u0301 caf\u00e9s", ["cafe", "cafe", "cafe"]),
        ("東京都へ", ["東京", "京都", "都へ"]),
        ("ü", ["u"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("\ud800 \x00 -- ...", []),
    ],
)
def test_terms_of(text, found):
    assert terms(text) == found


@given(st.text(max_size=300))
def test_every_term_is_found_again_by_the_index_it_is_put_into(text):
    queries = one_chunk(text)
    found = query_terms(text)
    assert queries.frequencies(found) == dict.fromkeys(found, 1)
    firsts = {term[0] for term in found}
    assert {term for each in firsts for term in queries.vocabulary(each, 999)} == set(found)
    searched = dict.fromkeys(searched_terms(queries.frequencies(found)), 1)
    assert list(queries.lexical(searched, 5)) == ([7] if found else [])


def one_chunk(text: str) -> HomeQueries:
    """A catalog of one chunk, indexed by SQLite itself."""
    connection = connect(":memory:")
    connection.executescript(SQLITE_TABLES)
    catalog.let_index(connection)
    for table, row in {
        "collections": (1, "default", "uid", "e", 1, "1", "1", 1),
        "documents": (3, 1, b"a", None, None, 0, 0, 0, "h", None, "text", 1, len(text), "[]"),
        "texts": (3, 1, zlib.compress(text.encode())),
        "chunks": (7, 1, 3, 0, 0, len(text), 1, 1, None, "", None, None, b""),
    }.items():
        connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    catalog.create_lexical(connection, 1)
    row = CollectionRow(1, "default", "", EmbedderIdentity("e", 1, "1"), "1", 1)
    return HomeQueries(connection, row, ChromaIndex(connection, Path(), row), print)


@given(st.text(max_size=200))
def test_terms_are_bounded_and_spans_give_the_same_ones(text):
    assert all(0 < len(term) <= TERM_CHARACTERS and " " not in term for term in terms(text))
    spans = list(term_spans(text))
    assert [term for *_, found in spans for term in found] == terms(text)
    assert all(0 <= start < end <= len(text) for start, end, _ in spans)


@given(st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=60))
def test_composed_and_decomposed_text_have_the_same_terms(text):
    composed = unicodedata.normalize("NFC", text)
    assert terms(composed) == terms(unicodedata.normalize("NFD", composed))


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60), st.sets(st.sampled_from("abcx")))
def test_the_best_window_is_the_best_of_all_windows(body, wanted):
    weights = {term: 1.0 + ord(term) % 3 for term in wanted}
    total = sum(weights.values()) or 1.0
    windows = [body[start : start + 15] for start in range(max(len(body) - 14, 1))]
    best = max(sum(weights[term] for term in wanted & set(window)) for window in windows)
    assert best_window(weights, body, []) == pytest.approx(best / total)


def test_frequent_terms_are_left_out_when_the_rare_ones_cost_enough():
    chosen = searched_terms({"rare": 3, "known": 15_000, "everywhere": 90_000, "absent": 0})
    assert chosen == ["rare", "known"]
    assert searched_terms({"everywhere": 90_000}) == ["everywhere"]
