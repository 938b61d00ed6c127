"""`crag eval` over a real index: its object, its errors, and its cache."""

import json
from pathlib import Path
from unittest.mock import Mock

import pytest
from crag import crag
from document_files import written
from ingest_runs import home_of

from cli.errors import Exit
from rag.evaluate.datasets import load_dataset
from rag.evaluate.evaluate_dataset import EvaluationPlan, evaluate
from state.choices import EvaluationStage
from state.settings import load_settings

CORPUS = {
    "tea": ("Tea", "Green tea is steeped for two minutes in water of seventy degrees."),
    "coffee": ("Coffee", "Coffee beans are roasted until they crack for the first time."),
    "bees": ("Bees", "A hive of bees winters on eleven kilograms of honey."),
    "ferry": ("Ferry", "The last ferry to the island leaves the pier at half past nine."),
    "glass": ("Glass", "Window glass is floated on a bath of molten tin."),
}
ASKED = [
    ("How long is green tea steeped?", ["two minutes"], ["tea"]),
    ("When does the last ferry leave?", ["half past nine"], ["ferry"]),
    ("How much honey does a hive need for winter?", ["eleven kilograms"], ["bees"]),
    ("Who was the third emperor of Brazil?", [], []),
]
QUERIES = [
    {"id": f"{n}", "text": q, "answers": a, "relevant": r, "answerable": bool(r)}
    for n, (q, a, r) in enumerate(ASKED, 1)
]
FOLLOW_UP = {
    "id": "f",
    "text": "And how much honey does it need?",
    "answers": ["eleven kilograms"],
    "relevant": ["bees"],
    "history": [{"q": "What is a hive of bees?", "a": "A hive is where bees live."}],
    "rewrite": "How much honey does a hive of bees need?",
}


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "drinks"
    folder.mkdir()
    corpus = [{"id": key, "title": title, "text": text} for key, (title, text) in CORPUS.items()]
    write(folder / "corpus.jsonl", corpus)
    write(folder / "queries.jsonl", QUERIES)
    return folder


def reported(dataset: Path, home: Path, *arguments: str) -> dict:
    result = crag(home, "eval", dataset, *arguments, "--json")
    assert result.exit_code == Exit.DONE, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("way", ["deep/", "./deep//"])
def test_a_folder_of_files_is_scored_by_its_paths(tmp_path, way):
    folder = tmp_path / "set"
    pages = {f"{key}.md": f"# {title}\n\n{text}\n" for key, (title, text) in CORPUS.items()}
    written(folder / "files" / "deep", pages)
    rows = [{**q, "relevant": [f"{way}{name}.md" for name in q["relevant"]]} for q in QUERIES]
    write(folder / "queries.jsonl", rows)
    assert reported(folder, tmp_path / "home", "--stage", "retrieval")["retrieval"]["mrr"] == 1
    assert "recall@5" in crag(tmp_path / "home", "eval", folder, "--stage", "retrieval").stdout


def test_an_index_is_made_once_for_its_content(dataset, tmp_path):
    settings = load_settings({"home": tmp_path / "home", "engine": "local"})
    plan = EvaluationPlan(stage=EvaluationStage.RETRIEVAL)
    for added, indexed in (("", True), ("", False), ('{"id": "new", "text": "Tea."}\n', True)):
        with (dataset / "corpus.jsonl").open("a") as file:
            file.write(added)
        heard = Mock()
        evaluate(load_dataset(dataset), settings, plan, heard, str)
        assert ("index" in [told.args[0] for told in heard.call_args_list]) is indexed
    assert len(list((settings.home / "eval" / "indexes").iterdir())) == 2


def test_a_collection_that_exists_is_used_as_it_is(dataset, tmp_path):
    home = home_of(tmp_path, {f"{key}.txt": text for key, (_, text) in CORPUS.items()})
    rows = [{**q, "relevant": [f"{name}.txt" for name in q["relevant"]]} for q in QUERIES]
    write(dataset / "queries.jsonl", rows)
    (dataset / "corpus.jsonl").unlink()
    assert reported(dataset, home, "--stage", "retrieval", "-c", "default")["retrieval"]["mrr"] == 1
    missing = crag(home, "eval", dataset, "--stage", "retrieval", "-c", "m")
    assert missing.exit_code == Exit.USAGE
    assert missing.stdout == ""


def test_a_dataset_is_scored_in_a_shared_store(dataset, tmp_path, postgres):
    words = ("--stage", "retrieval", "--store", postgres.url)
    for _ in range(2):  # the second finds the index that was made
        assert reported(dataset, tmp_path / "home", *words)["retrieval"]["mrr"] == 1


def test_what_cannot_be_scored_is_an_error_and_never_zeros(dataset, tmp_path):
    home = tmp_path / "home"
    unanswered = crag(home, "eval", dataset, "--stage", "retrieval", "--baseline")
    assert (unanswered.exit_code, unanswered.stdout) == (Exit.USAGE, "")
    (dataset / "corpus.jsonl").write_text("")
    empty = crag(home, "eval", dataset)
    assert (empty.exit_code, empty.stdout) == (Exit.SETUP, "")
    assert "holds no text" in empty.stderr
    write(dataset / "corpus.jsonl", [{"id": "other", "text": "Nothing that is asked for."}])
    foreign = crag(home, "eval", dataset, "--stage", "retrieval")
    assert (foreign.exit_code, foreign.stdout) == (Exit.USAGE, "")
    assert "None of the documents" in foreign.stderr
    (dataset / "corpus.jsonl").unlink()
    bare = crag(home, "eval", dataset)
    assert bare.exit_code == Exit.USAGE
    assert "neither corpus.jsonl nor files/" in bare.stderr
    for error in (unanswered, empty, foreign, bare):
        assert len(error.stderr.strip().splitlines()) == 1


def test_a_relevant_document_that_is_not_there_is_told(dataset, tmp_path):
    rows = [{**QUERIES[0], "relevant": ["tea", "gone"]}, *QUERIES[1:]]
    write(dataset / "queries.jsonl", rows)
    result = crag(tmp_path / "home", "eval", dataset, "--stage", "retrieval", "--json")
    assert "1 of 4 relevant documents are not in the corpus, such as 'gone'" in result.stderr
    assert json.loads(result.stdout)["retrieval"]["recall@5"] < 1


def test_a_full_run_asks_the_real_session_with_and_without_loops(dataset, tmp_path):
    """One question with the turns before it, which are on no thread, and one of which nobody said
    whether it is answerable.
    """
    home = tmp_path / "home"
    others = {"id": "h", "text": "Hello!", "relevant": ["tea"]}, {"id": "u", "text": "What is hot?"}
    write(dataset / "queries.jsonl", [*QUERIES, FOLLOW_UP, *others])
    report = reported(dataset, home, "--baseline")
    assert (report["dataset"], report["queries"], report["config"]["documents"]) == ("drinks", 7, 5)
    assert report["retrieval"]["recall@5"] == 1
    assert report["abstention"]["n"] == 6
    assert report["answers"] == {"contains": 1, "token_f1": report["answers"]["token_f1"], "n": 4}
    assert report["citations"]["verbatim"] == 1
    assert report["grading"]["n"] >= 9
    assert report["usage"]["llm_calls"] == 0
    baseline = report["baseline"]
    assert baseline["max_loops"] == 0
    assert baseline["answers"]["n"] == 4
    assert baseline["loops"]["mean"] == 0
    assert {path.name for path in home.iterdir()} == {"eval"}


def test_judged_documents_are_graded_whether_retrieved_or_not(dataset, tmp_path):
    judged = [
        {"query": "1", "doc_id": "tea", "relevant": True},
        {"query": "1", "doc_id": "glass", "relevant": False},
        {"query": "Where does the ferry leave?", "doc_id": "ferry", "relevant": True},
        {"query": "Where does the ferry leave?", "doc_id": "bees", "relevant": False},
    ]
    write(dataset / "grading.jsonl", judged)
    report = reported(dataset, tmp_path / "home", "--stage", "grading")
    assert report["grading"]["n"] == 4
    assert report["grading"]["auc"] == 1
    assert report["queries"] == 4
