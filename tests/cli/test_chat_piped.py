"""`crag chat` without a terminal, and `crag threads` on what it leaves."""

import json

import pytest
from crag import HIGH, crag, make_home, turns
from postgres_server import fresh_schema
from turn_samples import make_answer, open_turn_store

from cli.terminal import clean


def test_a_conversation_is_shown_traced_kept_listed_and_exported(home):
    """Three turns on one thread, the second a follow-up, with a command in between."""
    lines = f"{HIGH}\n/trace on\n\nAnd how long is it?\nDo dogs travel free?\n"
    talk = crag(home, "chat", "-t", "line", stdin=lines)
    assert talk.exit_code == 0, talk.stderr
    assert "loop 0" not in talk.stdout
    for told in ("line", "Traces are on.", "loop 0"):
        assert told in talk.stderr
    kept = turns(home, "line")
    assert [turn["turn"] for turn in kept] == [1, 2, 3]
    follow_up = kept[1]["answer"]
    assert follow_up["question"] == "And how long is it?"
    assert "Gillfoot" in follow_up["standalone_question"]
    assert "The Gillfoot Viaduct is 212 metres long." in follow_up["citations"][0]["quote"]
    assert kept[2]["answer"]["standalone_question"] == "Do dogs travel free?"
    for turn in kept:
        for shown in turn["answer"]["citations"]:
            for line in shown["shown"].splitlines():
                assert clean(line) in talk.stdout
    (listed,) = json.loads(crag(home, "threads", "list", "--json").stdout)["threads"]
    assert (listed["name"], listed["turns"], listed["first_question"]) == ("line", 3, HIGH)
    assert json.loads(crag(home, "threads", "size", "--json").stdout)["turns"] == 3
    exported = json.loads(crag(home, "threads", "export", "line", "--json").stdout)
    assert exported["turns"] == kept
    first, *_ = json.loads(crag(home, "trace", "--json").stdout)["answer"]["loops"]
    gained = sum(chunk["relevant"] for chunk in first["chunks"])
    assert gained >= 1
    assert f"gained {gained} relevant chunk" in crag(home, "trace").stdout
    shown, text = (crag(home, "threads", verb, "line") for verb in ("show", "export"))
    assert "## 2. And how long is it?" in text.stdout
    assert "\n   The Gillfoot Viaduct is 212 metres long." in text.stdout
    for run in (talk, shown, text):  # escapes of documents never reach a stream
        assert run.exit_code == 0
        assert not {"\x1b", "\x07", "\x9b"} & set(run.stdout + run.stderr)


def test_what_lies_nearest_to_a_refused_question_is_exported_with_its_place(tmp_path):
    place = {"marker": 1, "source": "fares.md", "anchor": "line 3", "start_line": 3, "end_line": 3}
    refused = make_answer(answer="Not sure.\n\nDogs travel free. [1]", status="abstained")
    refused["nearest"] = [{**place, "quote": "Dogs travel free.", "shown": "Dogs travel free."}]
    with open_turn_store(tmp_path) as store:
        store.append("dogs", refused)
    exported = crag(tmp_path, "threads", "export", "dogs").stdout
    assert exported.endswith("\nNot sure.\n\n1  fares.md:3\n   Dogs travel free.\n")


def test_thread_is_forgotten_only_when_confirmed(home):
    assert crag(home, "chat", "-t", "gone", stdin="Do dogs travel free?\n").exit_code == 0
    refused = crag(home, "threads", "delete", "gone")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    forgotten = json.loads(crag(home, "threads", "delete", "gone", "--yes", "--json").stdout)
    assert (forgotten["thread"], forgotten["turns"]) == ("gone", 1)
    assert crag(home, "threads", "show", "gone").exit_code == 2


def test_prune_says_what_it_removes(home):
    crag(home, "chat", "-t", "long", stdin="Do dogs travel free?\n" * 3)
    prune = ("threads", "prune", "--keep")
    dry = json.loads(crag(home, *prune, "1", "--dry-run", "--json").stdout)
    assert dry["removed"] == {"long": [1, 2]}
    assert "Removed 0 turns." in crag(home, *prune, "999", "-y").stderr
    done = crag(home, *prune, "1", "--yes")
    assert done.stdout == "long: 2 turns (1, 2)\n"
    assert [turn["turn"] for turn in turns(home, "long")] == [3]


@pytest.mark.parametrize(
    ("bad", "told"),
    [("???\n/nosuch", ["no word", "/nosuch"]), ("a" * 85_000 + " high?", ["20,000"])],
)
def test_each_line_that_fails_is_told_once_and_does_not_stop_the_others(home, bad, told):
    done = crag(home, "chat", "-t", "bad", stdin=f"{bad}\nDo dogs travel free?\n")
    assert done.exit_code == 2
    _, *failed = done.stderr.splitlines()
    assert [words in line for words, line in zip(told, failed, strict=True)] == [True] * len(told)
    (turn,) = turns(home, "bad")
    assert turn["answer"]["question"] == "Do dogs travel free?"


def test_a_setting_is_its_key_and_all_behind_it(home):
    lines = ("k = 5", "--max-loops\t2", "k", "full", "quotes off", "collection a=b", "hue 3")
    done = crag(home, "chat", stdin="".join(f"/set {line}\n" for line in lines))
    *told, gone, unknown = done.stderr.splitlines()[1:]
    assert told[:3] == ["k is 5.", "max_loops is 2.", "k is 5."]
    assert told[3:] == ["full is true.", "quotes is false."]
    assert "There is no collection 'a=b'." in gone
    assert "full" in unknown.partition("/set takes ")[2]


def test_thread_goes_on_from_another_home_on_the_same_postgres(home, tmp_path, postgres):
    url = fresh_schema(postgres.url)
    other = make_home(tmp_path / "elsewhere")
    first = crag(home, "ask", "How high is the Gillfoot Viaduct?", "-t", "shared", "--threads", url)
    assert first.exit_code == 0, first.stderr
    second = crag(other, "ask", "And how long is it?", "-t", "shared", "--threads", url, "--json")
    assert second.exit_code == 0, second.stderr
    answer = json.loads(second.stdout)
    assert answer["turn"] == 2
    assert "Gillfoot" in answer["standalone_question"]
    listed = json.loads(crag(home, "threads", "list", "--threads", url, "--json").stdout)
    assert [thread["turns"] for thread in listed["threads"]] == [2]
    assert json.loads(crag(other, "threads", "list", "--json").stdout)["threads"] == []
