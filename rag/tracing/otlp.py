"""Spans sent to an OpenTelemetry collector: OTLP over HTTP, protobuf, one request."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from rag.endpoint.address import host_of
from rag.tracing.spans import Span, Value
from state.errors import RemoteError, SettingsError
from state.settings import Settings

SECONDS = 2.0
_PATH = "/v1/traces"
_NAME = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass(frozen=True, slots=True)
class Collector:
    """Where spans are sent; `host` may be shown, `headers` may not."""

    host: str
    name: str
    port: int | None
    path: str
    tls: bool
    headers: tuple[tuple[str, str], ...]

    def send(self, spans: Sequence[Span], version: str) -> None:
        """Raises RemoteError; waits SECONDS for each step, follows no redirect, uses no proxy."""
        kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        connection = kind(self.name, self.port, timeout=SECONDS)
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
    parts = urlsplit(settings.otlp_endpoint.strip())
    path = parts.path.rstrip("/")
    return Collector(
        host=host,
        name=parts.hostname or "",
        port=parts.port,
        path=path if path.endswith(_PATH) else path + _PATH,
        tls=parts.scheme == "https",
        headers=tuple(_headers(settings)),
    )


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
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
    from opentelemetry.proto.resource.v1.resource_pb2 import Resource
    from opentelemetry.proto.trace.v1 import trace_pb2 as proto

    def value(given: Value) -> AnyValue:
        if isinstance(given, bool):
            return AnyValue(bool_value=given)
        if isinstance(given, int):
            return AnyValue(int_value=given)
        if isinstance(given, float):
            return AnyValue(double_value=given)
        return AnyValue(string_value=given.encode("utf-8", "replace").decode("utf-8"))

    def pairs(attributes: dict[str, Value | None]) -> list[KeyValue]:
        given = {key: item for key, item in attributes.items() if item is not None}
        return [KeyValue(key=key, value=value(item)) for key, item in given.items()]

    def encoded(span: Span) -> proto.Span:
        kinds, codes = proto.Span.SpanKind, proto.Status.StatusCode
        code = codes.STATUS_CODE_ERROR if span.failed else codes.STATUS_CODE_UNSET
        return proto.Span(
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_span_id=span.parent_id,
            name=span.name.encode("utf-8", "replace").decode("utf-8"),
            kind=kinds.SPAN_KIND_CLIENT if span.client else kinds.SPAN_KIND_INTERNAL,
            start_time_unix_nano=span.start,
            end_time_unix_nano=span.end,
            attributes=pairs(span.attributes),
            status=proto.Status(code=code),
        )

    scope = proto.ScopeSpans(
        scope=InstrumentationScope(name="crag", version=version),
        spans=[encoded(span) for span in spans],
    )
    resource = Resource(attributes=pairs({"service.name": "crag", "service.version": version}))
    whole = proto.ResourceSpans(resource=resource, scope_spans=[scope])
    request: bytes = ExportTraceServiceRequest(resource_spans=[whole]).SerializeToString()
    return request
