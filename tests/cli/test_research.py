"""`crag research` as a process: streams, exit codes, files, interrupts, the person's answer."""

import json
import re
from pathlib import Path

from crag import crag, ended, in_terminal, interrupted
from openai_samples import with_model
from research_library import ABSENT, TEXTS, TWO_HOPS
from research_model import decide, researcher, subtask
from scripted_server import ScriptedServer, hang, status

FILES = TEXTS


def test_the_report_goes_to_stdout_and_the_run_to_the_trace(home: Path):
    plain = crag(home, "research", TWO_HOPS)
    assert plain.exit_code == 0
    assert plain.stdout.startswith(f"# {TWO_HOPS}\n\n")
    assert "Anna Berg" in plain.stdout
    assert "round 1: " in plain.stderr
    assert re.search(r"^  done: searcher_\S+\.md \(\d+ citations?, ", plain.stderr, re.MULTILINE)
    trace = crag(home, "trace", "last")
    assert "round 1 → end" in trace.stdout
    assert plain.stdout.strip() in trace.stdout
    told = crag(home, "research", TWO_HOPS, "--json", "-q")
    report = json.loads(told.stdout)
    assert (report["schema"], report["status"]) == ("crag.research/1", "answered")
    assert report["report"] == plain.stdout
    assert told.stderr == ""


def test_without_a_terminal_the_question_is_printed_and_answered_later(home: Path):
    asked = crag(home, "research", ABSENT)
    assert asked.exit_code == 3
    *_, question, resume = asked.stderr.splitlines()
    assert question.endswith("?")
    assert resume.startswith("Go on with: crag research --resume ")
    name = resume.split()[6]
    refused = crag(home, "research", "--resume", name)
    assert refused.exit_code == 2
    assert question in refused.stderr
    answered = crag(home, "research", "--resume", name, "--answer", "How long is the Iron Bridge?")
    assert answered.exit_code == 0
    assert "95 metres" in answered.stdout
    again = crag(home, "research", "--resume", name)
    assert again.stdout == answered.stdout


def test_on_a_terminal_the_person_is_asked_and_the_run_goes_on(home: Path):
    child = in_terminal(home, "research", ABSENT)
    child.expect("should be searched instead")
    child.sendline("How long is the Iron Bridge?")
    child.expect("95 metres")
    assert ended(child) == 0


def test_a_server_that_is_down_is_exit_5_and_the_run_goes_on_later(home: Path):
    plan = [subtask("searcher", "How long is the Iron Bridge?")]
    model = researcher([plan], [decide("end")])
    with ScriptedServer(model, model, always=status(500)) as server:
        down = crag(home, "research", "How long is it?", **with_model(server))
    assert (down.exit_code, down.stdout) == (5, "")
    *_, resume, last = down.stderr.splitlines()
    assert last.startswith("crag: ")
    name = resume.split("--resume ")[1]
    with ScriptedServer(always=researcher([plan], [decide("end")])) as server:
        up = crag(home, "research", "--resume", name, **with_model(server))
    assert up.exit_code == 0
    assert "95 metres" in up.stdout


def test_ctrl_c_leaves_at_once_and_says_how_to_go_on(home: Path):
    plan = [subtask("searcher", "How long is the Stone Bridge?")]
    with ScriptedServer(researcher([plan], [decide("end")]), always=hang()) as server:
        asked, heard = ("research", "How long is it?"), {"at": "  searcher: ", "of": "stderr"}
        code, out, err = interrupted(home, *asked, **heard, **with_model(server))
    assert (code, out) == (130, ""), err
    assert "Go on with: crag research --resume " in err
