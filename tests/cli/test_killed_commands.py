"""`kill -9` of whole commands: what they said was done is kept, the rest never was, and the next
one goes on.
"""

import json
import os
import random
import signal
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from command_child import run
from crag import crag, environment, make_home
from forked import forked
from turn_child import QUESTIONS
from turn_samples import open_turn_store

from rag.doctor.checkup import check_file
from rag.index.home.catalog import Catalog
from state.home_db import HomeDb

LONG = pytest.param(100, marks=pytest.mark.slow)


class Killer:
    """Runs a command and kills it at a random instant. Half of its victims have just shown
    something, however busy the machine is; those that had ended are not counted.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.kills = 0
        self._longest = 2.0
        self._typed, self._shown = folder / "typed", folder / "shown"
        self._typed.write_text("\n".join(QUESTIONS * 50))

    def run(self, home: Path, *arguments: str) -> list[dict]:
        """What the command had shown."""
        self._shown.write_text("")
        written = os.O_WRONLY | os.O_APPEND
        files = [(self._typed, os.O_RDONLY), (self._shown, written), (os.devnull, written)]
        streams = [Connection(os.open(*file)) for file in files]
        given = ([*arguments, "--json"], streams, str(Path.cwd()), 0o022, environment(home))
        child = forked().Process(target=run, args=given)
        child.start()
        child.join(self.dice.uniform(0, self._longest))
        self.kills += child.exitcode is None
        child.kill()
        child.join()
        assert child.exitcode in (0, -signal.SIGKILL)
        *whole, _cut = self._shown.read_text(encoding="utf-8").split("\n")
        self._longest *= 0.85 if whole else 1.2
        return [json.loads(line) for line in whole]


@pytest.mark.parametrize("kills", [3, LONG])
@pytest.mark.parametrize("words", [["chat"], ["ask", QUESTIONS[0]]])
def test_a_killed_conversation_keeps_every_turn_that_it_showed(tmp_path, words, kills):
    home, killer = make_home(tmp_path), Killer(tmp_path, kills)
    before = 0
    while killer.kills < kills:
        told = killer.run(home, *words, "-t", "one")
        with open_turn_store(home) as store:
            kept = {turn.number: turn.answer for turn in store.turns("one")}
        assert list(kept) == list(range(1, len(kept) + 1))
        assert [answer["turn"] for answer in told] == [before + n + 1 for n in range(len(told))]
        assert len(kept) <= before + len(told) + 1
        for answer in told:
            assert kept[answer["turn"]]["answer"] == answer["answer"]
        checks = [check_file("catalog", Catalog(home)), check_file("threads", HomeDb(home))]
        assert [check for check in checks if not check.ok] == []
        before = len(kept)
    done = crag(home, "ask", QUESTIONS[0], "-t", "one", "--json")
    answer = json.loads(done.stdout)
    assert (done.exit_code, answer["turn"], answer["loop_count"]) == (0, before + 1, 0)
