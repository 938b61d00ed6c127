"""The process's own streams: closed, full, or left by their reader; and its end by signals."""

import signal
from pathlib import Path

import pytest
from crag import HIGH, ROOT, run_forked, shell
from ingest_runs import home_of
from openai_samples import with_model
from scripted_server import ScriptedServer, completion
from turn_samples import make_answer, open_turn_store

from cli.terminal import Terminal

FULL = Path("/dev/full")
CLOSED = "crag: An output is closed. Leave it open.\n"


@pytest.mark.parametrize("arguments", ["graph", "--help"])
def test_a_reader_that_leaves_early_is_no_failure(tmp_path, arguments):
    ran = shell(tmp_path, f'{{ $FORKED {arguments}; echo "code $?" >&2; }} | true')
    assert ran.stderr == "code 0\n"


def test_an_answer_keeps_its_exit_code_where_its_reader_leaves(home):
    for asked, code in (("How do volcanoes erupt?", 3), (HIGH, 0)):
        ran = shell(home, f"{{ $CRAG ask '{asked}' -q; echo \"code $?\" >&2; }} | true")
        assert ran.stderr == f"code {code}\n"


def test_what_a_library_warns_of_is_heard_with_debug_alone(home):
    listed = completion({"role": "assistant", "content": [{"type": "text", "text": "It is 31."}]})
    with ScriptedServer(always=lambda body: listed({**body, "stream": False})) as server:
        quiet, heard = [
            run_forked(home, "ask", HIGH, *debug, **with_model(server))
            for debug in ([], ["--debug"])
        ]
    assert ("Warning" in quiet.stderr, "Warning" in heard.stderr) == (False, True)


def test_closed_streams_break_nothing(tmp_path):
    for command in ("$CRAG graph", "$FORKED ask --help"):
        ran = shell(tmp_path, f"{command} >&-")
        assert (ran.returncode, ran.stderr) == (4, CLOSED)
    ran = shell(tmp_path, "$FORKED graph 2>&-")
    assert (ran.returncode, ran.stdout[:9]) == (0, "graph TD;")
    ran = shell(tmp_path, "$FORKED search - <&-")
    assert (ran.returncode, ran.stderr[:26]) == (2, "crag: The question is empt")
    ran = shell(tmp_path, "$FORKED threads size --json <&- >&- 2>&-")
    assert (ran.returncode, ran.stdout, ran.stderr) == (4, "", "")


def test_what_was_done_is_told_although_its_list_cannot_be_printed(tmp_path):
    with open_turn_store(tmp_path, None) as store:
        store.append("railway", make_answer())
    ran = shell(tmp_path, "$FORKED threads prune --keep 0 -y >&-")
    assert (ran.returncode, ran.stderr) == (4, f"Removed 1 turn.\n{CLOSED}")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_an_answer_that_did_not_arrive_is_a_failure_and_a_notice_is_none(tmp_path, home):
    ran = shell(tmp_path, f"$FORKED graph > {FULL}")
    assert ran.returncode == 4
    assert ran.stderr.startswith("crag: The disk is full.")
    ran = shell(tmp_path, f"$FORKED trace list 2> {FULL}")
    assert (ran.returncode, ran.stdout) == (0, "")
    ran = shell(home, f"$CRAG ask '{HIGH}' --trace 2> {FULL}")
    assert (ran.returncode, "31 metres" in ran.stdout) == (0, True)


def test_json_steers_no_terminal(capsys):
    Terminal().json({"text": "a\u202eb\x9bc\x7f\u00e9"})
    assert capsys.readouterr().out == '{"text": "a\\u202eb\\u009bc\\u007f\u00e9"}\n'


def test_a_locale_that_cannot_hold_file_names_is_named(tmp_path):
    home = home_of(tmp_path, {"灯台.md": "# Lighthouse\n\nIt is 34 metres high.\n"})
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = shell(home, "$CRAG ask 'How high is it?'", **ascii_only)
    assert (ran.returncode, ran.stdout) == (4, "")
    assert "PYTHONUTF8=1" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_bytes_that_are_no_text_are_asked_about_as_far_as_they_are(tmp_path):
    line = "printf 'caf\\351 hours' | $CRAG search -"
    ran = shell(tmp_path, line, PYTHONIOENCODING="utf-8:strict")
    assert (ran.returncode, ran.stderr[:26]) == (4, "crag: Nothing was ingested")


def test_ctrl_c_while_modules_are_read_shows_no_traceback(tmp_path):
    script = tmp_path / "typer.py"  # read in the place of the real one, while cli.main is
    script.write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = shell(tmp_path, "exec $CRAG graph", **path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGINT, "", "")
