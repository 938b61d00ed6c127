"""A streamed answer on its way to the person: without its thinking, without a non-answer."""

from __future__ import annotations

import re

from rag.engines.protocol import Emit

_NO_ANSWER = "i cannot answer"
_OPENINGS = ("<think", _NO_ANSWER)
_CLOSED = re.compile(r"^<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_MARKER = re.compile(r"\[\d+\]")
_BRACKETED = re.compile(r"\(((?:\[\d{1,3}\][\s,;]*)+)\)")
_MAY_BE_BRACKETED = re.compile(r"\((?:\[\d{1,3}\][\s,;]*){0,9}(?:\[\d{0,3})?$")


class Draft:
    """Passes pieces on at once, except while they may still turn out to be no answer, or a
    marker in brackets: `([1])` becomes `[1]`. `thought` tells whether there was thinking.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._held = ""
        self._open = False
        self._bracket = ""
        self._shown: list[str] = []
        self.thought = False

    def receive(self, piece: str) -> None:
        if self._open:
            self._show(piece)
            return
        self._held += piece
        self._drop_thinking()
        if self._held and not _may_be_no_answer(self._held):
            self._release()

    def _drop_thinking(self) -> None:
        self._held = self._held.lstrip()
        if (closed := _CLOSED.match(self._held)) is not None:
            self.thought = True
            self._held = self._held[closed.end() :].lstrip()

    def finish(self) -> str | None:
        """The text exactly as it was emitted, None if it says that there is no answer."""
        if not self._open and self._held.casefold().startswith(_NO_ANSWER):
            if not _MARKER.search(self._held):
                return None
            self._release()
        if self._held.casefold().startswith("<think"):
            self.thought = True
        elif self._held:
            self._release()
        self._pass_on(self._bracket)
        return "".join(self._shown)

    def _release(self) -> None:
        self._open = True
        held, self._held = self._held, ""
        self._show(held)

    def _show(self, text: str) -> None:
        text = _BRACKETED.sub(r"\1", self._bracket + text)
        unsure = _MAY_BE_BRACKETED.search(text)
        self._bracket = unsure.group() if unsure else ""
        self._pass_on(text[: unsure.start()] if unsure else text)

    def _pass_on(self, text: str) -> None:
        if text:
            self._shown.append(text)
            self._emit(text)


def _may_be_no_answer(text: str) -> bool:
    start = text.casefold()
    return any(start.startswith(o) or o.startswith(start) for o in _OPENINGS)
