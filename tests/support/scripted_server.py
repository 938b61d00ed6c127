"""An OpenAI-compatible server that says what a test told it to: real HTTP, SSE and faults.

    with ScriptedServer(call({"document_1": {"relevant": True}}), text("It is [1].")) as server:
        ...            # settings: base_url = server.url
    server.requests    # what was asked, in order

A reply is a function from the request's body to what is sent, so that one reply serves a
plain and a streamed request. Replies are used in order; a request too many gets a 418.
"""

import json
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self

Body = dict[str, Any]


@dataclass
class Sent:
    """What goes over the wire. `events` makes it SSE; `ending` is how its body ends:
    "done" (properly), "cut" (a chunked body that stops), "close" (a body without a length
    that stops), "reset" (no reply, TCP reset), "stall" or "hang" (nothing more, or nothing at all,
    until the server stops).
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    content_type: str = "application/json"
    events: Sequence[bytes] | None = None
    ending: str = "done"


Reply = Callable[[Body], Sent]


@dataclass
class Request:
    """`headers` by their names in lower case."""

    path: str
    headers: dict[str, str]
    body: Body

    @property
    def prompt(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"])


class ScriptedServer:
    """`pages`: what paths tell besides, as JSON, asked with a body or without."""

    def __init__(
        self, *replies: Reply, always: Reply | None = None, pages: Body | None = None
    ) -> None:
        self.requests: list[Request] = []
        self.pages = pages or {}
        self._replies: Iterator[Reply] = iter(replies)
        self._always = always
        self._lock = Lock()
        self.stopping = Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def page(self, request: Request) -> Sent:
        """What is told without being asked in a body."""
        told = self.pages.get(request.path)
        missing = status(404, "no such page")
        return missing({}) if told is None else Sent(body=json.dumps(told).encode())

    def answer(self, request: Request) -> Sent:
        with self._lock:
            self.requests.append(request)
            if request.path in self.pages:
                return self.page(request)
            reply = next(self._replies, self._always)
        if reply is None:
            return status(418, "the script is over")(request.body)
        return reply(request.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that gives up on a fault is what was scripted, not an error."""


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _handler(script: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(self.path, _lower(self.headers), json.loads(raw or b"{}"))
            try:
                self._send(script.answer(request))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_GET(self) -> None:
            self._send(script.page(Request(self.path, _lower(self.headers), {})))

        def _send(self, sent: Sent) -> None:
            if sent.ending == "hang":
                script.stopping.wait()
            if sent.ending in ("hang", "reset"):
                # Linger 0 makes the close a reset.
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.close_connection = True
                self.connection.close()
                self.wfile = open("/dev/null", "wb")  # noqa: PTH123, SIM115
                return
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            if sent.events is None:
                self.send_header("Content-Type", sent.content_type)
                self.send_header("Content-Length", str(len(sent.body)))
                self.end_headers()
                self.wfile.write(sent.body)
                return
            self.send_header("Content-Type", "text/event-stream")
            chunked = sent.ending != "close"
            self.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("X-Body", "open")))
            if not chunked:
                self.send_header("Connection", "close")
            self.end_headers()
            for event in sent.events:
                line = b"data: " + event + b"\n\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line) if chunked else line)
                self.wfile.flush()
            if sent.ending == "stall":
                script.stopping.wait()
            if sent.ending == "done":
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            return

    return Handler


def shape_asked(body: Body) -> tuple[str, Body] | None:
    """Name and JSON schema of the verdicts that are asked for, None where words are: the shapes of
    an answer, a question and a query are left to the test, since plain words are read too.
    """
    if "response_format" not in body:
        return None
    shape = body["response_format"]["json_schema"]
    words = shape["name"] in ("AnswerReply", "StandAlone", "Queries")
    return None if words else (shape["name"], shape["schema"])


def text(
    content: str | None,
    *,
    finish: str | None = "stop",
    usage: tuple[int, int] | None = (100, 10),
    refusal: str | None = None,
) -> Reply:
    """A plain reply; streamed word by word where a stream is asked for."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return completion(message, finish, usage)


def call(
    arguments: Body | str | list[Body],
    *,
    finish: str = "stop",
    usage: tuple[int, int] | None = (100, 10),
) -> Reply:
    """A structured reply: JSON, several objects for a list."""
    many = arguments if isinstance(arguments, list) else [arguments]
    said = [given if isinstance(given, str) else json.dumps(given) for given in many]
    return text("\n".join(said), finish=finish, usage=usage)


def completion(
    message: Body, finish: str | None = "stop", usage: tuple[int, int] | None = (100, 10)
) -> Reply:
    """The message as it is given."""

    def reply(body: Body) -> Sent:
        counts = usage and {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
            whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted"}
            return Sent(body=json.dumps({**whole, "choices": [choice], "usage": counts}).encode())
        events = [chunk({"role": "assistant", "content": ""})]
        if message.get("refusal"):
            events.append(chunk({"refusal": message["refusal"]}))
        events += [chunk({"content": word}) for word in words(message["content"] or "")]
        if finish is not None:
            events.append(chunk({}, finish))
        if counts and body.get("stream_options", {}).get("include_usage"):
            events.append(chunk(None, usage=counts))
        return Sent(events=[*events, b"[DONE]"])

    return reply


def words(content: str) -> list[str]:
    parts = content.split(" ")
    return [part + " " for part in parts[:-1]] + parts[-1:]


def chunk(delta: Body | None, finish: str | None = None, usage: Body | None = None) -> bytes:
    """One event of a stream."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    whole = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return json.dumps({**whole, "choices": choices, "usage": usage}).encode()


def stream(*pieces: str, ending: str, after: Sequence[bytes] = ()) -> Reply:
    """A stream that breaks off after `pieces` (and the raw events `after`)."""
    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": piece}) for piece in pieces]
    return lambda _: Sent(events=[*events, *after], ending=ending)


def status(code: int, message: str = "no", headers: dict[str, str] | None = None) -> Reply:
    """An error as OpenAI words it."""
    error = {"message": message, "type": "scripted", "param": None, "code": str(code)}
    body = json.dumps({"error": error}).encode()
    return lambda _: Sent(status=code, headers=headers or {}, body=body)


def raw(body: bytes, content_type: str = "application/json", code: int = 200) -> Reply:
    return lambda _: Sent(status=code, body=body, content_type=content_type)


def reset() -> Reply:
    return lambda _: Sent(ending="reset")


def hang() -> Reply:
    return lambda _: Sent(ending="hang")
