"""A thread remembers which collection it asked, and says so."""

import json

import pytest
from crag import crag
from document_files import written
from ingest_runs import Library

QUESTION = "How deep is the Mara Lock?"


@pytest.fixture
def home(home, tmp_path):
    locks = {"locks.md": "# Mara Lock\n\nThe Mara Lock is 4 metres deep.\n"}
    Library(home, "canal").ingest(written(tmp_path / "canal", locks))
    return home


def asked(home, question, *words):
    done = crag(home, "ask", question, *words, "--json")
    assert done.exit_code in (0, 3), done.stderr
    return json.loads(done.stdout), done.stderr


def test_thread_goes_on_with_its_collection(home):
    answer, told = asked(home, QUESTION, "-t", "water", "-c", "canal")
    assert "4 metres" in answer["answer"]
    assert "canal" not in told
    answer, told = asked(home, QUESTION, "-t", "water")
    assert "4 metres" in answer["answer"]
    assert told.strip() == "Asking canal, as thread water did."
    answer, told = asked(home, QUESTION, "--continue")
    assert "4 metres" in answer["answer"]
    assert "canal" in told
    answer, _ = asked(home, QUESTION)
    assert answer["status"] == "abstained"
    listed = crag(home, "trace", "list", "-n", "2")
    assert [line.split()[3] for line in listed.stdout.splitlines()] == ["default", "canal"]
    assert "newest 2" in listed.stderr
    assert not crag(home, "trace", "list", "-n", "4").stderr
    assert len(crag(home, "trace", "list", "-n", "99").stdout.splitlines()) == 4
    assert "No traces here" in crag(home, "trace", "list", "-t", "fire").stderr


@pytest.mark.parametrize("variable", ["CRAG_COLLECTION", "crag_collection"])
def test_naming_another_collection_changes_the_thread(home, monkeypatch, variable):
    asked(home, QUESTION, "-t", "water", "-c", "canal")
    monkeypatch.setenv(variable, "default")
    answer, told = asked(home, QUESTION, "-t", "water")
    assert answer["status"] == "abstained"
    assert not told
    monkeypatch.delenv(variable)
    _, told = asked(home, "Do dogs travel free?", "-t", "water")
    assert not told


def test_chat_goes_on_with_it_and_switches_with_the_thread(home):
    asked(home, QUESTION, "-t", "water", "-c", "canal")
    lines = (QUESTION, "/new other", "/set collection default", "Do dogs travel free?")
    typed = "\n".join([*lines, "/thread water", QUESTION, ""])
    done = crag(home, "chat", "-t", "water", "--json", stdin=typed)
    assert done.exit_code == 0, done.stderr
    first, between, last = (json.loads(line)["answer"] for line in done.stdout.splitlines())
    assert "4 metres" in first
    assert "Dogs travel free" in between
    assert "4 metres" in last
    assert "water: 1 turn, asking canal with 1 document." in done.stderr
    assert "water: 2 turns, asking canal with" in done.stderr
    shown = json.loads(crag(home, "threads", "show", "water", "--json").stdout)
    assert [turn["collection"] for turn in shown["turns"]] == ["canal"] * 3
    assert "canal" in crag(home, "threads", "show", "water").stdout


def test_a_thread_is_switched_under_the_flags_that_were_given(home):
    done = crag(home, "chat", "-t", "a", "--k", "5", stdin="/thread b\n", CRAG_K="many")
    (told,) = done.stderr.splitlines()[1:]
    assert told.startswith("New thread b, asking default")


def test_collection_that_is_gone_is_one_line_that_says_what_to_do(home):
    asked(home, QUESTION, "-t", "water", "-c", "canal")
    assert crag(home, "collections", "delete", "canal", "--yes").exit_code == 0
    done = crag(home, "ask", QUESTION, "-t", "water")
    assert done.exit_code == 2
    assert "canal" in done.stderr.splitlines()[-1]
