"""Whatever is asked over the network may do what it likes: a command ends in time, in one line."""

from contextlib import nullcontext

import pytest
from bad_servers import MISDEEDS, bad_server
from crag import HIGH, run_forked
from in_time import within
from ports import free_port

UNKNOWN = "Who is the mayor of Tokyo?"
SECONDS = 25
"""A limit of 6 seconds, and a machine that has other things to do."""
PATHS = {
    # 0: on a busy machine the time is spent first, and what was found is answered from.
    "a model": (["ask", HIGH, "--engine", "openai"], "BASE_URL", "http://{}/v1", (0, 4, 5)),
    "research with a model": (["research", HIGH], "BASE_URL", "http://{}/v1", (0, 3, 4, 5)),
    "the web": (["ask", UNKNOWN, "--web"], "WEB_URL", "http://{}/search", (3, 5)),
    "Postgres": (["ask", HIGH, "-t", "one"], "THREADS", "postgresql://me@{}/db", (5,)),
    "doctor": (["doctor", "--engine", "openai"], "BASE_URL", "http://{}/v1", (4,)),
}
LIMITS = {"CRAG_MAX_RETRIES": "0", "CRAG_REQUEST_TIMEOUT": "0.3", "CRAG_TIMEOUT": "6"}


def cases():
    """In the short form each way once."""
    for number, path in enumerate(PATHS):
        for turn, misdeed in enumerate(("refuses", *MISDEEDS)):
            marks = [] if (turn - number) % 9 == 1 else [pytest.mark.slow]
            yield pytest.param(path, misdeed, marks=marks, id=f"{path} {misdeed}")


@pytest.mark.parametrize(("path", "misdeed"), list(cases()))
def test_a_command_ends_in_time_with_one_line(home, path, misdeed):
    command, name, address, codes = PATHS[path]
    refuses = misdeed == "refuses"
    with nullcontext(free_port()) if refuses else bad_server(MISDEEDS[misdeed]) as port:
        settings = {f"CRAG_{name}": address.format(f"127.0.0.1:{port}"), **LIMITS}
        if name == "BASE_URL":
            settings["CRAG_ENGINE"] = "openai"
        with within(SECONDS):
            ran = run_forked(home, *command, memory=6 << 30, **settings)
    assert ran.returncode in codes, ran.stderr
    assert "Traceback" not in ran.stderr
    ended = [line for line in ran.stderr.splitlines() if line.startswith("crag: ")]
    assert len(ended) == (ran.returncode in (4, 5) and path != "doctor"), ran.stderr
    assert len(ran.stderr) < 2_000
