"""What documents are called, and finding them by it."""

from pathlib import Path

import pytest
from index_samples import open_collection

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
