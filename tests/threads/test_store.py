import itertools
from datetime import UTC, datetime, timedelta

import pytest
from turn_samples import make_answer, open_turn_store, random_answer

from state.errors import UsageError

START = datetime(2026, 1, 1, tzinfo=UTC)


def daily_clock():
    days = itertools.count()
    return lambda: START + timedelta(days=next(days))


@pytest.fixture
def store(url, tmp_path):
    with open_turn_store(tmp_path / "home", url, clock=daily_clock()) as store:
        yield store


def numbers(turns):
    return [turn.number for turn in turns]


def test_unknown_thread_has_nothing_and_reading_creates_nothing(store, tmp_path):
    assert list(store.turns("nobody")) == []
    assert store.last_turn("nobody") == 0
    assert store.threads() == []
    assert store.size().turns == 0
    assert not (tmp_path / "home").exists()


def test_turn_comes_back_whole(store):
    answer = random_answer(1)
    answer["question"] = "odd \udcff 🜚 \x1b[2J \x00 text"
    number = store.append("law", answer, milestone=True)
    (turn,) = store.turns("law")
    assert number == 1
    assert turn.answer == {**answer, "thread": "law", "turn": 1}
    assert turn.milestone
    assert turn.created_at == START
    assert answer["turn"] == 0, "the caller's own answer is not touched"


@pytest.mark.parametrize("count", [1, 16, 40])
def test_turns_are_walked_from_the_oldest_on_or_one_is_read(store, count):
    for number in range(count):
        store.append("a", make_answer(f"asked after {number}"))
    assert numbers(store.turns("a")) == list(range(1, count + 1))
    assert store.turn("a", count).answer["question"] == f"asked after {count - 1}"
    with pytest.raises(UsageError):
        store.turn("a", count + 1)
    assert store.newest("a").number == count
    assert store.newest("b") is None


def test_threads_are_listed_by_last_use(store):
    store.append("old", make_answer("what was first?"))
    store.append("new", make_answer())
    store.append("old", make_answer("and then?"))
    old, new = store.threads()
    assert (old.name, old.turns, old.first_question) == ("old", 2, "what was first?")
    assert (old.created_at, old.updated_at) == (START, START + timedelta(days=2))
    assert new.name == "new"
    assert old.bytes > new.bytes > 0


def test_deleted_thread_is_gone_and_starts_again_at_one(store):
    store.append("a", make_answer())
    store.append("a", make_answer())
    store.append("b", make_answer())
    assert store.delete("a") == 2
    assert [summary.name for summary in store.threads()] == ["b"]
    assert store.append("a", make_answer()) == 1
    assert store.delete("nobody") == 0


def test_prune_by_number_and_age_spares_milestones_and_never_reuses_a_number(store):
    for number in range(6):
        store.append("a", make_answer(), milestone=number == 0)
    store.append("b", make_answer())
    assert store.prune(keep=2, dry_run=True) == {"a": [2, 3, 4]}
    assert numbers(store.turns("a")) == [1, 2, 3, 4, 5, 6]
    before = START + timedelta(days=2)
    assert store.prune(before=before, keep=2, dry_run=True) == {"a": [2]}
    assert store.prune(keep=2) == {"a": [2, 3, 4]}
    assert numbers(store.turns("a")) == [1, 5, 6]
    assert store.prune(before=START + timedelta(days=5)) == {"a": [5]}
    assert store.prune(keep=0) == {"a": [6], "b": [1]}
    assert store.append("a", make_answer()) == 7


def test_size_counts_what_is_there(store):
    for seed in range(3):
        store.append("a", random_answer(seed))
    size = store.size()
    assert (size.threads, size.turns) == (1, 3)
    assert size.disk_bytes >= size.turn_bytes > 3000
