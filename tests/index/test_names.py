"""What documents are called, and finding them by it."""

from pathlib import Path

import pytest
from index_samples import open_collection, open_writer
from shared_stores import fill
from sqlite_files import run_sql

from rag.engines.local.grade import SURELY_NAMED
from rag.index.home.catalog import FILE_NAME
from rag.index.home.store import HomeStore

FILES = {
    "text/0007-lamps.md": "RFC 7 says that lamps are lit at dusk.",
    "text/0080-rails.md": "RFC 80 is about rails, whose gauge is narrow.",
    "text/0403-doors.md": "RFC 403: doors shut by themselves. Nothing more is said.",
    "text/0404-signals.md": "RFC 404 and RFC 403 differ. RFC 403 is older. On RFC 403 see there.",
    "help/Get-Content.md": "Reads the lines of a file, one by one.",
    "help/Set-Content.md": "Writes lines. What was read by Get-Content can be its input.",
    "help/net/ports.md": "The port 80 is open, port 403 is shut, and port 7 echoes.",
    **{f"{number}/Stop-Motor.md": f"Version {number} of it." for number in range(6)},
    "guide/quick-start.md": "Begin here.",
    "guide/tour.md": "A quick look at how to start the motor quickly.",
}


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("What is RFC 403 about?", "text/0403-doors.md"),
        ("rfc-0403", "text/0403-doors.md"),
        ("the Get-Content page", "help/Get-Content.md"),
        ("get content lines", "help/Get-Content.md"),
        ("the stop motor page of version 4", "4/Stop-Motor.md"),
        ("the quick start page", "guide/quick-start.md"),
        ("Which port is 80?", "help/net/ports.md"),
        ("Is port 403 shut?", "help/net/ports.md"),
    ],
)
def test_a_document_is_found_by_its_name(home: Path, query: str, source: str) -> None:
    assert open_collection(home, "default").search(query, 3)[0]["source"] == source


def test_one_word_that_a_document_is_called_by_never_surely_means_it(home: Path) -> None:
    reader = open_collection(home, "default")
    (tour,) = [each for each in reader.search("a tour", 9) if each["source"] == "guide/tour.md"]
    assert 0 < tour["document_match"] < SURELY_NAMED
    assert reader.search("the quick start page", 1)[0]["document_match"] >= SURELY_NAMED


def test_a_document_that_is_removed_leaves_no_name(tmp_path: Path) -> None:
    fill(HomeStore(tmp_path), {"new-door.md": "It shuts.", "gone.md": "Away."})
    with open_writer(tmp_path, "default") as writer:
        writer.remove(["gone.md"])
    assert run_sql(tmp_path / FILE_NAME, "SELECT key FROM names") == [("newdoor",)]
