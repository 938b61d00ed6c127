"""A scripted SearXNG endpoint on loopback: real HTTP, the results or the faults asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class SearxServer:
    """`results` are served to every search; `body` and `code` stand in for them. Where `drip` is
    set, a byte of the headers and the body comes every so many seconds.
    """

    results: list[dict[str, Any]] = field(default_factory=list)
    body: bytes | None = None
    code: int = 200
    encoding: str = "identity"
    drip: float = 0.0
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def reply(self) -> bytes:
        if self.body is not None:
            return self.body
        return json.dumps({"results": self.results, "answers": [], "infoboxes": []}).encode()


@contextmanager
def running_searx(script: SearxServer) -> Iterator[SearxServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            script.asked.append(query.get("q", [""])[0])
            body = script.reply()
            if script.drip:
                with suppress(OSError):  # the client has gone
                    for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10_000:
                        self.wfile.write(bytes([byte]))
                        time.sleep(script.drip)
                return
            self.send_response(script.code)
            self.send_header("Content-Encoding", script.encoding)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}/search"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
