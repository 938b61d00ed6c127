"""Finished traces sent to a collector in the background: no answer waits for it or fails by it."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

from rag.tracing.otlp import SECONDS, Collector, collector_of
from rag.tracing.spans import spans_of
from state.closing import Closing
from state.errors import CragError
from state.extras import package_version
from state.settings import Settings
from state.shared_place import open_traces

PATIENCE = SECONDS + 0.5
"""Seconds that closing waits at most for what is still to be sent."""


class Exporter(Closing):
    """Sends kept traces by their ids; a context manager. What goes wrong is reported once, from
    the thread that closes it or sends the next, never from the background.
    """

    def __init__(
        self, collector: Collector, settings: Settings, notify: Callable[[str], None]
    ) -> None:
        self._collector = collector
        self._settings = settings
        self._notify = notify
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._failure: str | None = None
        self._reported = False

    def send(self, trace_id: str) -> None:
        self._report()
        if self._thread is None:
            self._thread = Thread(target=self._work, name="otlp", daemon=True)
            self._thread.start()
        self._waiting.put(trace_id)

    def close(self) -> None:
        """Wait for what is still to be sent, PATIENCE at most."""
        if self._thread is None:
            return
        self._waiting.put(None)
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            self._failure = f"{self._collector.host} did not reply in time."
        self._thread = None
        self._report()

    def _report(self) -> None:
        if self._failure is not None and not self._reported:
            self._reported = True
            self._notify(f"Traces were not sent: {self._failure}")

    def _work(self) -> None:
        while (trace_id := self._waiting.get()) is not None:
            try:
                self._export(trace_id)
            except CragError as error:
                self._failure = error.message
            except Exception as error:  # noqa: BLE001 - reported like any other failure
                self._failure = f"unexpected {type(error).__name__}."

    def _export(self, trace_id: str) -> None:
        with open_traces(self._settings) as traces:
            trace = traces.get(trace_id)
            asked = list(traces.every("answer", trace_id)) if trace["kind"] == "research" else []
        spans = spans_of(trace, asked, content=self._settings.otlp_content)
        self._collector.send(spans, package_version("crag-cli"))


def open_exporter(settings: Settings, notify: Callable[[str], None]) -> Exporter | None:
    """An Exporter where the settings name a collector; raises SettingsError as they are wrong."""
    collector = collector_of(settings)
    return None if collector is None else Exporter(collector, settings, notify)
