"""What a conversation shows: the answer in Markdown as it grows, then as it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cli.render.answer_text import print_answer, quoted_passages, report_notices
from cli.render.live import LiveAnswer
from cli.terminal import Terminal, clean
from state.answer import Answer

if TYPE_CHECKING:
    from rich.console import RenderableType


class ChatView(LiveAnswer):
    """A LiveAnswer whose draft and answer are Markdown on a terminal, plain text elsewhere."""

    def __init__(self, terminal: Terminal, *, trace: bool, stream: bool, json: bool) -> None:
        super().__init__(terminal, trace=trace, events=False, stream=stream)
        self._json = json

    def _frame(self) -> RenderableType:
        return _markdown(self._draft) if self._draft else super()._frame()

    def finish(self, answer: Answer, links: Mapping[int, str]) -> None:
        """Print the answer that was kept, and how a follow-up was understood; `links` by marker."""
        if answer["standalone_question"] != answer["question"]:
            self._terminal.notice(
                f"Understood as: {' '.join(answer['standalone_question'].split())}"
            )
        report_notices(self._terminal, answer)
        if self._json:
            self._terminal.json(answer)
        else:
            # What no engine wrote, as a reply to small talk, has no claims.
            quoted = not answer["claims"] or bool(quoted_passages(answer))
            shown = None if quoted else _markdown(answer["answer"])
            print_answer(self._terminal, answer, links, shown, style="dim")
            if not self._terminal.out_is_tty:
                self._terminal.out("")


def _markdown(text: str) -> RenderableType:
    from rich.markdown import Markdown

    # A link shows where it leads: its words may come from a document.
    return Markdown(clean(text), hyperlinks=False)
