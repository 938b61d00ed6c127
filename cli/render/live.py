"""The view of a question while it is being answered."""

from __future__ import annotations

import signal
from contextlib import closing
from typing import TYPE_CHECKING, Self

from cli.render.trace_view import TraceView
from cli.terminal import Terminal, clean
from state.answer import Answer
from state.background import Cancellation

if TYPE_CHECKING:
    from rich.live import Live

    from rag.session import Session
    from state.events import Event


_DOING = {
    "contextualize": "reading the conversation",
    "retrieve": "searching",
    "grade_documents": "grading",
    "transform_query": "looking for better words",
    "generate": "answering",
    "check_answer": "checking the quotes",
}


class LiveAnswer:
    """Asks a question and shows the run's events as they come. Ctrl-C interrupts the run, so that
    nothing being drawn is broken off.

    On a terminal the draft grows in place and is cleared for the checked answer, which the caller
    prints; elsewhere only the requested trace or events are shown.
    """

    def __init__(
        self, terminal: Terminal, *, trace: bool, stream: bool, events: bool = False
    ) -> None:
        self._terminal = terminal
        self.cancel = Cancellation()
        self._events = events
        self._stream = stream and not trace
        self._view = TraceView(terminal.console()) if trace else None
        self._live: Live | None = None
        self._draft = ""
        self._answer: Answer | None = None

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, lambda *_: self.cancel.interrupt())
        if self._stream:
            from rich.live import Live

            console = self._terminal.console(stderr=False)
            self._live = Live(console=console, transient=True, refresh_per_second=20)
            self._draw("searching")
            self._live.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._live is not None:
            # Stopping draws the last frame whole, and can erase no more of it than fits on
            # the screen.
            self._live.update("", refresh=True)
            self._live.stop()
        signal.signal(signal.SIGINT, self._before)

    def ask(
        self, session: Session, question: str, *, thread: str | None, pin: bool = False
    ) -> Answer:
        """Show the turn's events until it ends, and return its answer; raises as `stream`."""
        turn = session.stream(question, thread=thread, pin=pin, cancel=self.cancel)
        with self, closing(turn):
            for event in turn:
                self.show(event)
        assert self._answer is not None, "a run ends with an answer or an error"
        return self._answer

    def show(self, event: Event) -> None:
        if event["event"] == "answer":
            self._answer = event["answer"]
        elif self._events:
            self._terminal.json(event)
        if self._view is not None:
            try:
                self._view.show(event)
            except OSError:  # nobody reads the trace; the answer may still be read
                self._view = None
        match event["event"]:
            case "token":
                self._draft += event["text"]
                self._draw("answering")
            case "draft_rejected":
                self._draft = ""
            case "node_started" if event["node"] in _DOING:
                self._draw(_DOING[event["node"]])

    def _draw(self, doing: str) -> None:
        """Show the draft, or what is done until there is one."""
        if self._live is None:
            return
        from rich.spinner import Spinner
        from rich.text import Text

        working = Spinner("dots", text=Text(f"{doing}…", style="dim"))
        self._live.update(Text(clean(self._draft)) if self._draft else working)
