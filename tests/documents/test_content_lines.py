"""Calendars and contacts: entries below their names, with fields that a person can read."""

from __future__ import annotations

from pathlib import Path

import pytest
from document_files import save
from whole_document import read_document

CALENDAR = r"""BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Harbour
BEGIN:VTIMEZONE
TZID:Europe/Lisbon
DTSTART:19700101T000000
END:VTIMEZONE
BEGIN:VEVENT
UID:1
DTSTART;TZID=Europe/Lisbon:20260619T144000
DTEND;TZID=Europe/Lisbon:20260619T153000
SUMMARY:Board
 \, in the shed
LOCATION:Pier 2\; upstairs
ORGANIZER;CN="Bo: Orr":MAILTO:bo@example.org
RRULE:FREQ=WEEKLY;BYDAY=FR
DESCRIPTION:Bring the plan.\nAnd x-
 rays.
BEGIN:VALARM
DESCRIPTION:Ring
END:VALARM
END:VEVENT
BEGIN:VTODO
SUMMARY:Mend the lock
DUE;VALUE=DATE:20260704
DURATION:PT1H30M
END:VTODO
"""

CONTACTS = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Z=C3=BC=
rn;Ada;;;
TEL;CELL;PREF:123
PHOTO;ENCODING=BASE64:AAAA=
item1.ADR;TYPE="HOME,work":;;2 Pier Lane;Northsea;;;
BDAY:--0412
END:VCARD
"""


def text_of(tmp_path: Path, name: str, text: str) -> str:
    return read_document(save(tmp_path, name, text), name).text


def test_the_entries_of_a_calendar(tmp_path: Path) -> None:
    document = read_document(save(tmp_path, "a.ics", CALENDAR.replace("\n", "\r\n")), "a.ics")
    assert (document.format, document.title) == ("calendar", "Harbour")
    assert document.text == (
        "# Board, in the shed\n\n"
        "When: 2026-06-19 14:40 to 15:30 (Europe/Lisbon)\n"
        "Where: Pier 2; upstairs\n"
        "Organizer: Bo: Orr <bo@example.org>\n"
        "Repeats: freq weekly, byday fr\n\n"
        "Bring the plan.\nAnd x-rays.\n\n"
        "# Mend the lock\n\nDue: 2026-07-04\nLasts: 1 h 30 min\n\n"
    )


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ("DTSTART;VALUE=DATE:20260704\nDTEND;VALUE=DATE:20260704", "2026-07-04"),
        ("DTSTART;VALUE=DATE:20260704\nDTEND;VALUE=DATE:20260705", "2026-07-04"),
        ("DTSTART;VALUE=DATE:20260704\nDTEND;VALUE=DATE:20260706", "2026-07-04 to 2026-07-05"),
        ("DTSTART:20260911T183000Z\nDTEND:20260911T213000Z", "2026-09-11 18:30 to 21:30 (UTC)"),
        ("DTSTART:20269999\nDTEND:20269999", "2026-99-99"),
        ("DTSTART:soon", "soon"),
    ],
)  # fmt: skip
def test_when_an_event_is(tmp_path: Path, times: str, told: str) -> None:
    text = text_of(tmp_path, "a.ics", f"BEGIN:VEVENT\n{times}\nEND:VEVENT\n")
    assert text == f"# (no title)\n\nWhen: {told}\n\n"


def test_a_card_of_an_old_telephone(tmp_path: Path) -> None:
    assert text_of(tmp_path, "a.vcf", CONTACTS) == (
        "# Zürn, Ada\n\nPhone (cell): 123\nAddress (home, work): 2 Pier Lane, Northsea\n"
        "Birthday: --0412\n\n"
    )


def test_what_is_hostile_is_read_in_no_time(tmp_path: Path) -> None:
    lines = ["BEGIN:VCARD", "FN:Bo", "END:VCARD", "END:VCARD", *["BEGIN:VCARD"] * 50_000]
    lines += [";QUOTED-PRINTABLE" * 50_000, ';"' * 50_000, "NOTE:x", *[" x"] * 50_000]
    assert text_of(tmp_path, "a.vcf", "\n".join(lines)) == "# Bo\n\n"
