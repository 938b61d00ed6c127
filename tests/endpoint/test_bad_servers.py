"""Whatever is asked over the network may do what it likes: a command ends in time, in one line."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from bad_servers import MISDEEDS, bad_server
from crag import run_forked
from in_time import within
from ports import free_port

ROOT = Path(__file__).parents[2]
QUESTION = "How long is the Corbel Tunnel?"
UNKNOWN = "Who is the mayor of Tokyo?"
SECONDS = 25
"""A limit of 6 seconds, and a machine that has other things to do."""
PATHS = {
    # 0: on a busy machine the time is spent first, and what was found is answered from.
    "a model": (["ask", QUESTION, "--engine", "openai"], "base_url", "http://{}/v1", (0, 4, 5)),
    "research with a model": (["research", QUESTION], "base_url", "http://{}/v1", (0, 3, 4, 5)),
    "the web": (["ask", UNKNOWN, "--web"], "web_url", "http://{}/search", (3, 5)),
    "Postgres": (["ask", QUESTION, "-t", "one"], "threads", "postgresql://me@{}/db", (5,)),
    "doctor": (["doctor", "--engine", "openai"], "base_url", "http://{}/v1", (4,)),
}
LIMITS = {"MAX_RETRIES": "0", "REQUEST_TIMEOUT": "0.3", "TIMEOUT": "6"}


def run(work, *arguments, **settings):
    named = {f"CRAG_{name.upper()}": value for name, value in settings.items()}
    return run_forked(work / "home", *arguments, memory=6 << 30, **named)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    (folder / "docs").mkdir()
    (folder / "docs" / "line.md").write_text("The Corbel Tunnel is 1,204 metres long.\n")
    (folder / "docs" / "road.md").write_text("The road through the tunnel is 900 metres long.\n")
    assert run(folder, "ingest", "docs").returncode == 0
    return folder


def cases():
    """In the short form each way once."""
    for number, path in enumerate(PATHS):
        for turn, misdeed in enumerate(("refuses", *MISDEEDS)):
            marks = [] if (turn - number) % 9 == 1 else [pytest.mark.slow]
            yield pytest.param(path, misdeed, marks=marks, id=f"{path} {misdeed}")


@pytest.mark.parametrize(("path", "misdeed"), list(cases()))
def test_a_command_ends_in_time_with_one_line(work, path, misdeed):
    command, name, address, codes = PATHS[path]
    refuses = misdeed == "refuses"
    with nullcontext(free_port()) if refuses else bad_server(MISDEEDS[misdeed]) as port:
        settings = {name: address.format(f"127.0.0.1:{port}"), **LIMITS}
        if name.startswith("base"):
            settings["engine"] = "openai"
        with within(SECONDS):
            ran = run(work, *command, **settings)
    assert ran.returncode in codes, ran.stderr
    assert "Traceback" not in ran.stderr
    ended = [line for line in ran.stderr.splitlines() if line.startswith("crag: ")]
    assert len(ended) == (ran.returncode in (4, 5) and path != "doctor"), ran.stderr
    assert len(ran.stderr) < 2_000
