"""An OpenTelemetry collector on loopback: reads OTLP over HTTP with the protocol's own classes.

    with Collector() as collector:
        ...                 # settings: otlp_endpoint = collector.url
    collector.spans         # what was received, in order

`status` is what it replies; `hangs` makes it reply only when it stops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Received:
    """A span as it came, ids in hex, times in milliseconds since 1970."""

    name: str
    trace: str
    id: str
    parent: str
    start: float
    end: float
    kind: int
    status: int
    attributes: dict[str, Any]


@dataclass
class Collector:
    status: int = 200
    hangs: bool = False
    spans: list[Received] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._stopped = Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.paths.append(self.path)
                outer.headers.append({k.lower(): v for k, v in self.headers.items()})
                outer.bodies.append(body)
                if outer.hangs:
                    outer._stopped.wait()
                    return
                if outer.status == 200:
                    outer.spans += read_spans(body)
                self.send_response(outer.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def named(self, name: str) -> list[Received]:
        return [span for span in self.spans if span.name == name]

    def beneath(self, parent: Received) -> list[Received]:
        return [span for span in self.spans if span.parent == parent.id]


def read_spans(body: bytes) -> list[Received]:
    request = ExportTraceServiceRequest.FromString(body)
    return [
        Received(
            name=span.name,
            trace=span.trace_id.hex(),
            id=span.span_id.hex(),
            parent=span.parent_span_id.hex(),
            start=span.start_time_unix_nano / 1e6,
            end=span.end_time_unix_nano / 1e6,
            kind=span.kind,
            status=span.status.code,
            attributes={
                pair.key: getattr(pair.value, pair.value.WhichOneof("value"))
                for pair in span.attributes
            },
        )
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
