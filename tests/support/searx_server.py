"""A scripted SearXNG on loopback: the results of every search, or what stands in for them."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scripted_server import Request, ScriptedServer, Sent


class SearxServer(ScriptedServer):
    """`asked` are the queries that came."""

    def __init__(self, results: Sequence[dict[str, Any]] = (), sent: Sent | None = None) -> None:
        super().__init__()
        found = {"results": list(results), "answers": [], "infoboxes": []}
        self.asked: list[str] = []
        self._sent = sent or Sent(body=json.dumps(found).encode())

    def page(self, request: Request) -> Sent:
        self.asked.append(parse_qs(urlsplit(request.path).query).get("q", [""])[0])
        return self._sent
