"""Finished traces sent to an OpenTelemetry collector in the background: OTLP over HTTP, protobuf,
one request a trace. No answer waits for it or fails by it.

They are encoded by OpenTelemetry's SDK, which is imported here alone. Its HTTP exporter is not
used: it would add whatever headers OTEL_EXPORTER_OTLP_HEADERS holds for another collector, go
through proxies, and log why it failed instead of saying it.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from urllib.parse import SplitResult, urlsplit

from rag.endpoint.address import host_of
from rag.tracing.spans import Span, spans_of
from state.closing import Closing
from state.errors import CragError, RemoteError, SettingsError
from state.extras import package_version
from state.settings import Settings
from state.shared_place import open_traces

SECONDS = 2.0
PATIENCE = SECONDS + 0.5
"""Seconds that closing waits at most for what is still to be sent."""
_PATH = "/v1/traces"
_NAME = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


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


@dataclass(frozen=True, slots=True)
class Collector:
    """Where spans are sent; `host` may be shown, `headers` may not."""

    host: str
    url: SplitResult
    headers: tuple[tuple[str, str], ...]

    @property
    def path(self) -> str:
        return self.url.path.rstrip("/").removesuffix(_PATH) + _PATH

    def send(self, spans: Sequence[Span], version: str) -> None:
        """Raises RemoteError; waits SECONDS for each step, follows no redirect, uses no proxy."""
        secure = self.url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(self.url.hostname or "", self.url.port, timeout=SECONDS)
        headers = {**dict(self.headers), "Content-Type": "application/x-protobuf"}
        try:
            connection.request("POST", self.path, encode(spans, version), headers)
            reply = connection.getresponse()
            reply.read(65_536)
        except (OSError, http.client.HTTPException, ssl.SSLError) as error:
            what = getattr(error, "strerror", None) or str(error) or "no reply"
            what = "no reply" if isinstance(error, TimeoutError) else what.lower()
            raise RemoteError(f"{self.host} cannot be reached ({what}).") from None
        finally:
            connection.close()
        if reply.status // 100 != 2:
            raise RemoteError(f"{self.host} refused them (HTTP {reply.status}).")


def collector_of(settings: Settings) -> Collector | None:
    """The collector that the settings name, or None.

    Raises:
        SettingsError: the URL or the headers are unusable.
    """
    if settings.otlp_endpoint is None:
        return None
    host = host_of(settings.otlp_endpoint, "otlp_endpoint")
    return Collector(host, urlsplit(settings.otlp_endpoint.strip()), tuple(_headers(settings)))


def _headers(settings: Settings) -> list[tuple[str, str]]:
    given = settings.otlp_headers.get_secret_value() if settings.otlp_headers is not None else ""
    headers = []
    for item in filter(None, (part.strip() for part in given.split(","))):
        name, _, value = item.partition("=")
        if not name or not set(name) <= _NAME or not value.isascii() or not value.isprintable():
            raise SettingsError(
                "The setting otlp_headers is unusable.", "Write it like Name=value,Other=value."
            )
        headers.append((name, value.strip()))
    return headers


def encode(spans: Sequence[Span], version: str) -> bytes:
    """An ExportTraceServiceRequest."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind
    from opentelemetry.trace.status import Status, StatusCode

    resource = Resource({"service.name": "crag", "service.version": version})
    scope = InstrumentationScope("crag", version)

    def context(span: Span, identity: bytes) -> SpanContext:
        trace_id, span_id = (int.from_bytes(each) for each in (span.trace_id, identity))
        return SpanContext(trace_id, span_id, is_remote=False)

    def readable(span: Span) -> ReadableSpan:
        return ReadableSpan(
            name=_whole(span.name),
            context=context(span, span.span_id),
            parent=context(span, span.parent_id) if span.parent_id else None,
            resource=resource,
            attributes={
                key: _whole(value) if isinstance(value, str) else value
                for key, value in span.attributes.items()
                if value is not None
            },
            kind=SpanKind.CLIENT if span.client else SpanKind.INTERNAL,
            instrumentation_scope=scope,
            status=Status(StatusCode.ERROR if span.failed else StatusCode.UNSET),
            start_time=span.start,
            end_time=span.end,
        )

    request: bytes = encode_spans([readable(span) for span in spans]).SerializeToString()
    return request


def _whole(text: str) -> str:
    """Without halves of characters, which protobuf refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")
