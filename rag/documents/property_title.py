"""The title in a file's properties, where somebody gave it one."""

from __future__ import annotations

import re

_DEFAULT = re.compile(
    r"\W*(?:anonymous|unspecified|untitled|no title)\W*"
    r"(?:(?:document|presentation|spreadsheet)\W*)?\d*"
    r"|slide \d+|powerpoint presentation|microsoft (?:word|excel|powerpoint) - .*",
    re.IGNORECASE | re.DOTALL,
)
"""What programs put in by themselves: Office, Google Docs, LibreOffice, InDesign, ReportLab.
"""


def given_title(property_: str | None) -> str | None:
    """The title, or None where it names nothing: a reader may then find one in the text."""
    return None if property_ is None or _DEFAULT.fullmatch(property_.strip()) else property_
