"""Calendars (iCalendar) and contacts (vCard): each entry below its name, as fields to be read."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from typing import NamedTuple

from rag.documents.cleaning import one_line
from rag.documents.encoding import decode, read_text
from rag.documents.stream import Part, Reading

_FOLD = re.compile(r"\n[ \t]")
_SOFT_BREAKS = re.compile(
    r"(?im)^[^:\n]{0,99};(?:ENCODING=)?QUOTED-PRINTABLE[^:\n]{0,99}:(?:.*=\n)+"
)
_LINE = re.compile(r'(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"\n]*"|[^":;\n])*)*):(.*)')
_ESCAPED = re.compile(r"\\(.)")
_KIND = re.compile(r"(?:;|TYPE=|,)([\w-]+)(?=[;,]|$)")
_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)[:\d.]*(Z?))?")
_DURATION = re.compile(r"(\d+)([WDHM])")
_UNITS = {"W": "weeks", "D": "days", "H": "h", "M": "min"}
_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_LABELS = {
    "DUE": "Due", "COMPLETED": "Completed", "DURATION": "Lasts", "RRULE": "Repeats",
    "LOCATION": "Where", "STATUS": "Status", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee",
    "CATEGORIES": "Categories", "URL": "URL", "NICKNAME": "Nickname", "ORG": "Organization",
    "TITLE": "Title", "ROLE": "Role", "TEL": "Phone", "EMAIL": "Email", "ADR": "Address",
    "BDAY": "Birthday", "ANNIVERSARY": "Anniversary",
}  # fmt: skip
_DATES = frozenset({"DUE", "COMPLETED", "BDAY", "ANNIVERSARY"})
_LISTS = frozenset({"N", "ORG", "ADR"})
_UNTOLD = frozenset({"pref", "voice", "internet", "quoted-printable"})
"""Kinds of a number or an address that tell a person nothing."""


class _Property(NamedTuple):
    name: str
    parameters: str
    value: str


def read(reading: Reading) -> Iterator[Part]:
    """One piece an entry; properties without a label here are left out."""
    inside: list[str] = []
    entry: list[_Property] = []
    text = _SOFT_BREAKS.sub(lambda match: match[0].replace("=\n", ""), read_text(reading))
    for line in _FOLD.sub("", text).split("\n"):
        found = _LINE.match(line)
        if found is None:
            continue
        each = _Property(found[1].upper(), found[2], found[3].strip())
        if each.name == "BEGIN":
            inside.append(each.value.upper())
            entry = [] if inside[-1] in _ENTRIES else entry
        elif each.name == "END":
            if inside and inside.pop() in _ENTRIES:
                yield Part(_shown(entry))
        elif each.name == "X-WR-CALNAME":
            reading.title = _text(each)
        elif inside and inside[-1] in _ENTRIES:
            entry.append(each)


def _shown(entry: list[_Property]) -> str:
    first = {each.name: each for each in reversed(entry)}
    names = (_text(first[name]) for name in ("SUMMARY", "FN", "N", "ORG") if name in first)
    lines = [f"When: {_when(first)}"] if "DTSTART" in first else []
    lines += [f"{_label(each)}: {_value(each)}" for each in entry if each.name in _LABELS]
    notes = [_text(each) for each in entry if each.name in {"DESCRIPTION", "COMMENT", "NOTE"}]
    title = one_line(next(filter(None, names), "(no title)"))
    return "\n\n".join(filter(None, [f"# {title}", "\n".join(lines), *notes])) + "\n\n"


def _label(each: _Property) -> str:
    kinds = (kind.lower() for kind in _KIND.findall(each.parameters.upper().replace('"', "")))
    told = ", ".join(kind for kind in kinds if kind not in _UNTOLD)
    return _LABELS[each.name] + (f" ({told})" if told else "")


def _value(each: _Property) -> str:
    if each.name == "RRULE":
        return ", ".join(part.replace("=", " ").lower() for part in each.value.split(";"))
    if each.name == "DURATION":
        return " ".join(f"{n} {_UNITS[unit]}" for n, unit in _DURATION.findall(each.value))
    if each.name in _DATES:
        return _MOMENT.sub(_moment, each.value) + _zone(each)
    address = re.sub("(?i)^(?:mailto|tel):", "", one_line(_text(each), 500))
    called = re.search(r'CN="?([^";]+)', each.parameters)
    return f"{called[1]} <{address}>" if called else address


def _text(each: _Property) -> str:
    value = each.value
    if "QUOTED-PRINTABLE" in each.parameters.upper():
        value = decode(quopri.decodestring(value.encode()))
    parts = re.split(r"(?<!\\);", value) if each.name in _LISTS else [value]
    shown = (_ESCAPED.sub(lambda at: "\n" if at[1] in "nN" else at[1], part) for part in parts)
    return ", ".join(part.strip() for part in shown if part.strip())


def _when(first: dict[str, _Property]) -> str:
    begins = first["DTSTART"]
    start = _MOMENT.match(begins.value)
    end = _MOMENT.match(first["DTEND"].value) if "DTEND" in first else None
    told = _MOMENT.sub(_moment, begins.value)
    if start is None or end is None:
        return told + _zone(begins)
    last = _moment(end)
    if not end[4]:  # the day after the last
        with suppress(ValueError, OverflowError):
            last = max(str(date.fromisoformat(last) - timedelta(days=1)), told)
    elif last[:10] == told[:10]:
        last = last[11:]
    return told + (f" to {last}" if last != told else "") + _zone(begins)


def _moment(found: re.Match[str]) -> str:
    day = "-".join(found.group(1, 2, 3))
    return f"{day} {found[4]}:{found[5]}" if found[4] else day


def _zone(each: _Property) -> str:
    zone = re.search(r"TZID=\"?([^\";:]+)", each.parameters)
    if zone is None:
        return " (UTC)" if each.value.endswith("Z") else ""
    return f" ({zone[1]})"
