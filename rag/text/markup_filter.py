"""The lines of Markdown that only programs read: tags and a generator's marks alone, comments,
scripts, fences around prose, link definitions.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag.text.line_marks import DIRECTIVE, GLANCE, LABEL, is_for_programs, unread_until


@dataclass(slots=True)
class MarkupFilter:
    """What is open where the next line begins; `goes_on`: the last line may go on in the next."""

    goes_on: bool = False
    _closes: str = ""  # what ends a comment or a script
    _fence: str = ""  # the one that is open around prose

    @property
    def is_open(self) -> bool:
        """Whether a comment or a script goes on, over blank lines too."""
        return bool(self._closes)

    def drops(self, line: str) -> bool:
        """Whether only programs read this line; notes what it opens and closes."""
        self.goes_on = False
        if self._fence and line.strip() == self._fence:
            self._fence = ""
            return True
        if "`{" in line and (opens := DIRECTIVE.match(line[:GLANCE])) is not None:
            if opens[2]:
                self._closes = opens[1]
            else:
                self._fence = opens[1]
            return True
        if not self._closes:
            self._closes = unread_until(line[:GLANCE])
            if not self._closes:
                self.goes_on = LABEL.fullmatch(line) is not None
                return self.goes_on or (len(line) <= GLANCE and is_for_programs(line))
        if self._closes in line.lower():
            self._closes = ""
        return True
