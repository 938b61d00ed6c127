"""`kill -9` in the middle of a conversation: finished turns stay, unfinished ones never were."""

import random

import pytest
from forked import last_told, started
from turn_child import QUESTIONS, run

from rag.session import open_session
from state.graph_state import TIMELINE_WINDOW
from state.settings import load_settings


@pytest.mark.parametrize("kills", [4, pytest.param(300, marks=pytest.mark.slow)])
def test_killed_conversation(home, kills):
    rng = random.Random(kills)
    given = load_settings({"home": home, "engine": "local", "max_loops": 1})
    finished = 0
    with open_session(given) as session:
        store = session.memory.store
        for _ in range(kills):
            child, told = started(run, str(home), "killed", daemon=True)
            child.join(rng.uniform(0, 1.0))  # any instant of its first turns
            finished = last_told(child, told, finished)
            kept = [turn.number for turn in store.turns("killed")]
            assert kept == list(range(1, len(kept) + 1))
            assert finished <= len(kept) <= finished + 1
            finished = len(kept)
        answer = session.ask(QUESTIONS[0], thread="killed")
        assert answer["turn"] == finished + 1
        assert answer["status"] == "answered"
        timeline = session.memory.history("killed")[-TIMELINE_WINDOW:]
        saver = session.memory.checkpoints.saver()
        (checkpoint,) = saver.list({"configurable": {"thread_id": "killed"}})
        assert checkpoint.checkpoint["channel_values"]["timeline"] == timeline
