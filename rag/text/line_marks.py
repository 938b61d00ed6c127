"""What a line of a text without a grammar looks like."""

from __future__ import annotations

import re

GLANCE = 400
"""As much of a line says what it is."""

FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
RULE = re.compile(r"[\s*_=\-~.\u00b7\u2022+#|:^]{3,}$")
COLUMN_RULE = re.compile(r"\s*={2,}(?:\s+={2,})+\s*$")
COLUMNS = re.compile(r"\S\s{2,}\S")
ITEM = re.compile(
    r"([ \t]*)(?:[-*+\u2022\u25e6\u25aa\u2023\u2013\u2014\u00b7]"
    r"|\(?[0-9]{1,4}[.)]|\(?[A-Za-z][.)])[ \t]+\S"
)
QUOTED = re.compile(r"\s{0,3}>+ ?")
HEADER = re.compile(r"[A-Z][A-Za-z-]*: ")
CODE_LIKE = re.compile(r"[{};]\s*$|\w\(.*\)|[=!<>]=|:=|->|=>|::|^\s*(?:[$#>]|//|--)")
