"""What a person meets first when things go wrong: one line each, with the next step.

A full disk: test_every_command.py; a closed pipe and Ctrl-C: test_streams.py; Ctrl-C also:
test_chat_terminal.py, test_research.py and test_ingest.py.
"""

import pytest
from crag import crag
from hardships import HARDSHIPS, can_mount
from index_samples import open_writer

ASK = ("ask", "How high is the Gillfoot Viaduct?")
OFF = {"CRAG_BASE_URL": "http://127.0.0.1:9/v1", "CRAG_MODEL": "m", "CRAG_MAX_RETRIES": "0"}


@pytest.mark.parametrize(
    ("words", "code", "said", "next_step"),
    [
        ((*ASK, "--config", "{}/misspelt.toml"), 4, "max_lops", "max_loops"),
        ((*ASK, "--engine", "openai"), 5, "127.0.0.1:9", "base_url|CRAG_BASE_URL|server|local"),
        (("ingest", "{}", "--home", "{}/misspelt.toml/home"), 4, "misspelt", "--home"),
        (("config", "init", "--config", "{}/misspelt.toml/c.toml"), 4, "misspelt", "--config"),
        (("threads", "list", "--home", "x" * 300), 4, "name of a file is too long", "shorter"),
        (("ingest", "{}"), 4, "pid", "again|wait|ends|--home"),
    ],
    ids=["unknown key", "model that is off", "no rights", "no place", "long name", "locked home"],
)
def test_a_fault_is_one_line_with_the_next_step(words, code, said, next_step, tmp_path, home):
    """The home is being written meanwhile, which only the last heeds."""
    (tmp_path / "misspelt.toml").write_text("max_lops = 2\n")
    given = [word.format(tmp_path) for word in words]
    with open_writer(home, "default"):
        done = crag(home, *given, **OFF)
    *_, line = done.stderr.splitlines()
    assert (done.exit_code, done.stdout) == (code, "")
    assert line.startswith("crag")
    assert said in line
    assert any(step in line for step in next_step.split("|"))
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not can_mount(), reason="no mount namespaces here")
def test_a_read_only_home_is_asked_and_says_what_it_cannot_keep(tmp_path, home):
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    done = HARDSHIPS["read-only home"].run(tmp_path, *ASK, "--engine", "local")
    assert (done.returncode, "31 metres" in done.stdout) == (0, True)
    assert "The trace was not kept: The disk is read-only" in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_the_cited_quotes_stand_below_the_sources(home):
    plain = crag(home, *ASK).stdout
    quoted = crag(home, *ASK, "--quotes").stdout
    assert quoted.startswith(plain)
    assert "[1] “" in quoted[len(plain) :]
