"""What a dataset may be, and the one line that says why something is none."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluate.datasets import CorpusDocument, load_dataset, read_rows, sample
from state.errors import UsageError

QUERIES = load_dataset(Path(__file__).parents[2] / "sample_corpus").queries


def dataset(folder: Path, *queries: object, **files: str) -> Path:
    lines = [q if isinstance(q, str) else json.dumps(q) for q in queries]
    (folder / "queries.jsonl").write_text("\n".join(lines))
    for name, text in files.items():
        (folder / f"{name}.jsonl").write_text(text)
    return folder


def test_a_query_is_read_whole(tmp_path):
    row = {
        "id": 7,
        "text": "And in winter?",
        "answers": ["no"],
        "relevant": ["d1", "d1", 2],
        "answerable": True,
        "history": [{"q": "Is it open?", "a": "Yes."}],
        "rewrite": "Is it open in winter?",
    }
    loaded = load_dataset(dataset(tmp_path, row, corpus="", grading=""))
    (query,) = loaded.queries
    assert (query.id, query.relevant, query.answerable) == ("7", ["d1", "d1", "2"], True)
    assert (query.history[0]["question"], query.history[0]["answer"]) == ("Is it open?", "Yes.")
    assert loaded.documents == tmp_path / "corpus.jsonl"


def test_answerable_is_inferred_where_it_is_not_said(tmp_path):
    judged = ({"relevant": ["d"]}, {"relevant": []}, {})
    rows = [{"id": number, "text": "x", **each} for number, each in enumerate(judged)]
    folder = dataset(tmp_path, "\ufeff" + json.dumps(rows[0]), *rows[1:])  # a byte order mark
    loaded = load_dataset(folder)
    assert [query.answerable for query in loaded.queries] == [True, False, None]


def test_judgements_name_a_query_by_id_or_text(tmp_path):
    judged = [
        {"query": "a", "doc_id": "d1", "relevant": True},
        {"query": "What is y?", "doc_id": "d2", "relevant": False},
        {"query": "a text of its own", "doc_id": 3, "relevant": False},
    ]
    rows = [{"id": "a", "text": "What is x?"}, {"id": "b", "text": "What is y?"}]
    loaded = load_dataset(dataset(tmp_path, *rows, grading="\n".join(map(json.dumps, judged))))
    by_id, by_text, own = {"d1": True}, {"d2": False}, {"3": False}
    assert loaded.judged == {"What is x?": by_id, "What is y?": by_text, "a text of its own": own}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "line 2: Invalid JSON"),
        ('{"id": "x"}', "line 2: text"),
        ('{"id": true, "text": "t"}', "line 2: id"),
        ('{"id": "x", "text": "  "}', "line 2: text"),
        ('{"id": "x", "text": "t", "history": [{"q": "?"}]}', "line 2: history.0.a"),
        ('{"id": "first", "text": "t"}', "comes a second time"),
        ("[" * 100_000, "line 2: Invalid JSON"),
    ],
)
def test_an_unusable_line_is_named(tmp_path, line, what):
    folder = dataset(tmp_path, {"id": "first", "text": "fine"}, line)
    with pytest.raises(UsageError) as raised:
        load_dataset(folder)
    assert what in str(raised.value)
    assert "queries.jsonl" in str(raised.value)


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(UsageError, match=r"no queries\.jsonl"):
        load_dataset(tmp_path)
    with pytest.raises(UsageError, match="holds no query"):
        load_dataset(dataset(tmp_path))


def test_corpus_lines_are_documents_of_their_own(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"id": 1, "title": "T", "text": "one"}\n\n{"id": "b", "text": "two"}\n')
    read = [
        (document.id, document.title, document.text) for document in read_rows(path, CorpusDocument)
    ]
    assert read == [("1", "T", "one"), ("b", None, "two")]
    path.write_text('{"id": "b", "text": "x"}\n{"id": "b", "text": "y"}\n')
    with pytest.raises(UsageError, match="comes a second time"):
        list(read_rows(path, CorpusDocument))
    path.write_bytes(b'{"id": "b", "text": "\xff"}')
    with pytest.raises(UsageError, match="line 1: Invalid JSON"):
        list(read_rows(path, CorpusDocument))


@given(st.integers(1, 100), st.integers(0, 5))
def test_a_sample_is_the_same_for_a_seed_and_in_order(limit, seed):
    chosen = sample(QUERIES, limit, seed)
    assert chosen == sample(QUERIES, limit, seed)
    assert len(chosen) == min(limit, len(QUERIES))
    places = [QUERIES.index(query) for query in chosen]
    assert places == sorted(set(places))
