"""What a person meets first when things go wrong: one line each, with the next step.

A full disk: test_every_command.py; a closed pipe and Ctrl-C: test_streams.py; Ctrl-C also:
test_chat_terminal.py, test_research.py and test_ingest.py.
"""

import pytest
from crag import copied_home, crag
from hardships import HARDSHIPS, can_mount
from index_samples import EMBEDDER, open_writer

ASK = ("ask", "How high is the Gillfoot Viaduct?")
OFF = {
    "CRAG_ENGINE": "openai",
    "CRAG_BASE_URL": "http://127.0.0.1:9/v1",
    "CRAG_MODEL": "m",
    "CRAG_MAX_RETRIES": "0",
}


def unknown_key(home):
    (home.parent / "config.toml").write_text("max_lops = 2\n")
    return crag(home, *ASK, "--config", home.parent / "config.toml")


def model_that_is_off(home):
    return crag(home, *ASK, **OFF)


def no_rights(home):
    (home.parent / "file").write_text("")
    return crag(home.parent / "file" / "home", "ingest", home.parent)


def no_place_for_settings(home):
    (home.parent / "file").write_text("")
    return crag(home, "config", "init", "--config", home.parent / "file" / "config.toml")


def locked_home(home):
    with open_writer(home, "default", EMBEDDER.identity):
        return crag(home, "ingest", home.parent)


@pytest.mark.parametrize(
    ("fault", "code", "said", "next_step"),
    [
        (unknown_key, 4, "max_lops", "max_loops"),
        (model_that_is_off, 5, "127.0.0.1:9", "base_url|CRAG_BASE_URL|server|local"),
        (no_rights, 4, "file", "--home"),
        (no_place_for_settings, 4, "file", "--config"),
        (locked_home, 4, "pid", "again|wait|ends|--home"),
    ],
)
def test_a_fault_is_one_line_with_the_next_step(fault, code, said, next_step, tmp_path):
    done = fault(copied_home(tmp_path))
    *_, line = done.stderr.splitlines()
    assert (done.exit_code, done.stdout) == (code, "")
    assert line.startswith("crag")
    assert said in line
    assert any(step in line for step in next_step.split("|"))
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not can_mount(), reason="no mount namespaces here")
def test_a_read_only_home_is_asked_and_says_what_it_cannot_keep(tmp_path):
    home = copied_home(tmp_path)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    done = HARDSHIPS["read-only home"].run(tmp_path, *ASK, "--engine", "local")
    assert (done.returncode, "31 metres" in done.stdout) == (0, True)
    assert "The trace was not kept: The disk is read-only" in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_the_cited_quotes_stand_below_the_sources(tmp_path):
    home = copied_home(tmp_path)
    plain = crag(home, *ASK).stdout
    quoted = crag(home, *ASK, "--quotes").stdout
    assert quoted.startswith(plain)
    assert "[1] “" in quoted[len(plain) :]
