"""What a conversation shows: the answer in Markdown as it grows, then as it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from cli.render.answer_text import (
    answer_lines,
    answer_text,
    cited,
    quoted_passages,
    report_notices,
    source_text,
)
from cli.render.live import LiveAnswer
from cli.render.wrapped_text import print_wrapped
from cli.terminal import Terminal, clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from state.answer import Answer
    from state.events import Event


class ChatView(LiveAnswer):
    """A LiveAnswer whose draft and answer are Markdown on a terminal, plain text elsewhere."""

    def __init__(self, terminal: Terminal, *, trace: bool, stream: bool, json: bool) -> None:
        super().__init__(terminal, trace=trace, events=False, stream=stream)
        self._json = json

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def _frame(self) -> RenderableType:
        return _markdown(self._draft) if self._draft else super()._frame()

    def show(self, event: Event) -> None:
        super().show(event)
        if event["event"] == "asked_back":
            from rag.nodes.ask_back import asked_back

            for line in asked_back(event["question"], event["choices"]).splitlines():
                self._terminal.notice(line)
            self._terminal.notice("Say which, by its number or in words; Enter goes on without.")

    def finish(self, answer: Answer, links: Mapping[int, str]) -> None:
        """Print the answer that was kept, and how a follow-up was understood; `links` by marker."""
        if answer["standalone_question"] != answer["question"]:
            self._terminal.notice(
                f"Understood as: {' '.join(answer['standalone_question'].split())}"
            )
        if self._json:
            self._terminal.json(answer)
        elif self._terminal.out_is_tty:
            console = self._terminal.out_console()
            quoted = answer["status"] == "abstained" or bool(quoted_passages(answer))
            if quoted:
                print_wrapped(console, answer_text(answer))
            else:
                console.print(_markdown(answer["answer"]))
            for citation in cited(answer):
                text = source_text(citation, links.get(citation["marker"]))
                console.print(text, style="dim")
        else:
            for line in answer_lines(answer):
                self._terminal.out(line)
            self._terminal.out("")
        report_notices(self._terminal, answer)


def _markdown(text: str) -> RenderableType:
    from rich.markdown import Markdown

    # A link shows where it leads: its words may come from a document.
    return Markdown(clean(text), hyperlinks=False)
