"""A home that cannot be written, a full disk, few files, little memory: said, and nothing lost."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command_child import finished
from hardships import can_mount
from mounted_commands import mounted

ROOT = Path(__file__).parents[2]
QUESTION = "How long is the Corbel Tunnel?"


def at(home):
    return {"CRAG_HOME": str(home), "HOME": str(home)}


def crag(home, *arguments, limit=None):
    return finished(*arguments, folder=home.parent, limit=limit, **at(home))


def started(home, *arguments, limit):
    """The program from its start, which has the limit too."""
    return subprocess.run(
        [sys.executable, "-m", "cli", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **at(home)},
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=lambda: resource.setrlimit(limit[0], (limit[1],) * 2),
    )


mounting = pytest.mark.skipif(not can_mount(), reason="no mount namespaces here")


@pytest.fixture
def home(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "line.md").write_text(
        "# The line\n\nThe Corbel Tunnel is 1,204 metres long.\n"
    )
    made = tmp_path / "home"
    assert crag(made, "ingest", "docs").returncode == 0
    assert crag(made, "ask", QUESTION, "-t", "one").returncode == 0
    return made


def contents(home):
    return {
        str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()
    }


@mounting
def test_a_read_only_home_is_asked_and_searched_and_says_what_it_cannot_keep(home):
    before = contents(home)
    ask = ["ask", QUESTION]
    reading = (
        ["search", "tunnel"],
        ["status"],
        ["collections", "list"],
        ["collections", "show", "default"],
        ["threads", "list"],
        ["threads", "show", "one"],
        ["trace"],
        ["trace", "list"],
        ["config", "show"],
        ["graph"],
    )
    writing = (
        ["ingest", "docs"],
        ["ask", QUESTION, "-t", "one"],
        ["research", QUESTION],
        ["threads", "delete", "one", "-y"],
        ["collections", "delete", "default", "-y"],
        ["trace", "delete", "last", "-y"],
    )
    read_only = f"mount --bind {home} {home} && mount -o remount,bind,ro {home}"
    asked, *others, doctor = mounted(
        read_only, ask, *reading, *writing, ["doctor"], folder=home.parent, **at(home)
    )
    assert (asked.returncode, "1,204 metres" in asked.stdout) == (0, True)
    assert asked.stderr.count("\n") == 1
    assert "The trace was not kept: The disk is read-only" in asked.stderr
    for ran in others[: len(reading)]:
        assert (ran.returncode, ran.stderr) == (0, ""), ran.args
    for ran in others[len(reading) :]:
        assert ran.returncode == 4, (ran.args, ran.stderr)
        line = ran.stderr.splitlines()[-1]
        assert "read-only" in line or "readonly" in line, ran.args
        assert "choose another --home" in line, ran.args
    assert [line for line in doctor.stdout.splitlines() if line.startswith("FAIL")] == [
        f"FAIL  home: {home}: Read-only file system"
    ]
    assert contents(home) == before


@mounting
def test_a_part_of_the_home_that_cannot_be_written_is_named(home):
    (lock,) = (home / "locks").iterdir()
    read_only = f"mount --bind {lock} {lock} && mount -o remount,bind,ro {lock}"
    ingest, doctor = mounted(
        read_only, ["ingest", "docs"], ["doctor"], folder=home.parent, **at(home)
    )
    assert ingest.returncode == 4
    assert str(lock) in ingest.stderr
    assert doctor.returncode == 4
    assert f"FAIL  home: {lock} cannot be written\n      mend: Make it" in doctor.stdout


@mounting
def test_a_full_disk_is_one_line_and_what_was_there_stays(home, tmp_path):
    for number in range(40):
        text = "\n\n".join(f"Sheet {number} row {row} says {row * number}." for row in range(300))
        (tmp_path / "docs" / f"sheet{number}.md").write_text(text)
    small = tmp_path / "small"
    small.mkdir()
    full = f"mount -t tmpfs -o size=900k small {small} && cp -r {home}/. {small}"
    commands = ["ingest", "docs"], ["search", "tunnel"], ["doctor"], ["status"]
    ingest, search, doctor, status = mounted(full, *commands, folder=tmp_path, **at(small))
    assert ingest.returncode != 0
    assert [each.returncode for each in (search, status)] == [0, 0]
    ill = [line for line in doctor.stdout.splitlines() if line.startswith("FAIL")]
    assert ill == ["FAIL  disk: 0.0 GB free"]
    assert "Corbel Tunnel" in search.stdout
    line = next(line for line in ingest.stderr.splitlines() if line.startswith("crag: "))
    assert "full" in line
    assert "oom" in line or "space" in line


@pytest.mark.parametrize(
    ("files", "limited"), [(16, started), (24, crag), (64, crag)], ids=["16", "24", "64"]
)
def test_few_files_are_said_and_taken_for_no_damage(home, files, limited):
    few = (resource.RLIMIT_NOFILE, files)
    assert limited(home, "ask", QUESTION, limit=few).returncode == 0
    (home.parent / "docs" / "new.md").write_text("# New\n\nThe inn has nine beds.\n")
    for arguments in (["ingest", "docs"], ["doctor"], ["ask", QUESTION, "-t", "two"]):
        ran = limited(home, *arguments, limit=few)
        assert ran.returncode in (0, 4), ran.stderr
        assert "damage" not in ran.stderr + ran.stdout
        assert "Traceback" not in ran.stderr
        if ran.returncode == 4 and ran.stderr:
            assert "ulimit -n" in ran.stderr.splitlines()[-1]
    assert crag(home, "ingest", "docs").returncode == 0
    assert crag(home, "doctor").returncode == 0
    assert "nine beds" in crag(home, "ask", "How many beds has the inn?").stdout
