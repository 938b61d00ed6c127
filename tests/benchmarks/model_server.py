"""An OpenAI-compatible server in a process of its own, for measuring against: word_model's.

    python tests/benchmarks/model_server.py

Prints its URL. POST /v1/config sets latency_ms (before any reply), ttft_ms (before a stream's
first word) and tokens_per_s; /v1/stats gives chat calls and prompt tokens since /v1/reset.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from scripted_server import Request, ScriptedServer, Sent, embeddings, shape_asked
from word_model import reply, vector


class ModelServer(ScriptedServer):
    def __init__(self) -> None:
        super().__init__()
        self.config = {"latency_ms": 0.0, "ttft_ms": 0.0, "tokens_per_s": 0.0}
        self.stats = {"chat": 0, "prompt_tokens": 0}

    def answer(self, request: Request) -> Sent:
        what = request.path.rpartition("/")[2]
        if what == "completions":
            return self._chat(request.body)
        if what == "embeddings":
            return embeddings(vector)(request.body)
        if what == "config":
            self.config |= request.body
        elif what == "reset":
            self.stats = dict.fromkeys(self.stats, 0)
        return Sent(body=json.dumps(self.stats).encode())

    def _chat(self, body: dict[str, Any]) -> Sent:
        self.stats["chat"] += 1
        self.stats["prompt_tokens"] += len(json.dumps([body["messages"], shape_asked(body)])) // 4
        time.sleep(self.config["latency_ms"] / 1000)
        sent = reply(body)
        return sent if sent.events is None else replace(sent, events=self._paced(sent.events))

    def _paced(self, events: Any) -> Iterator[bytes]:
        first, *others = events
        yield first
        time.sleep(self.config["ttft_ms"] / 1000)
        for event in others:
            yield event
            if self.config["tokens_per_s"]:
                time.sleep(1 / self.config["tokens_per_s"])


if __name__ == "__main__":
    with ModelServer() as server:
        print(server.url, flush=True)
        Event().wait()
