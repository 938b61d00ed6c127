"""A reranking model by address: /v1/rerank of llama.cpp, vLLM, Jina and Cohere, /rerank of TEI."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rag.endpoint.address import Endpoint, http_client, reranker_endpoint
from rag.endpoint.failures import foreign_errors
from state.errors import ModelError
from state.settings import Settings

LONGEST = 2_000
"""Characters of a text: rerankers read some 512 tokens."""
SECONDS = 30.0


class Reranker:
    """Scores texts against a query. It remembers in which of the two shapes it is asked."""

    def __init__(self, endpoint: Endpoint, model: str, seconds: float) -> None:
        self._endpoint = endpoint
        self.host, self.loopback = endpoint.host, endpoint.loopback
        self.model = model
        self._seconds = seconds
        self._texts = False

    @classmethod
    def connect(cls, settings: Settings) -> Reranker:
        """The one that the settings name; raises SettingsError for an unusable URL."""
        seconds = min(settings.request_timeout or SECONDS, SECONDS)
        return cls(reranker_endpoint(settings), settings.reranker_model, seconds)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in their order; higher is better.

        Raises:
            ModelError: it cannot be reached, refused, or sent no such scores.
        """
        try:
            return self._asked(query, [text[:LONGEST] for text in texts])
        except foreign_errors() as error:
            raise ModelError(
                f"The reranker at {self.host} failed ({type(error).__name__}).",
                "Check CRAG_RERANKER_URL and CRAG_RERANKER_MODEL, or unset them.",
            ) from None

    def _asked(self, query: str, texts: list[str]) -> list[float]:
        base = self._endpoint.base_url.rstrip("/")
        with http_client(self._endpoint) as client:
            reply = client.post(
                base if base.endswith("/rerank") else f"{base}/rerank",
                params=dict(self._endpoint.query),
                headers={"Authorization": f"Bearer {self._endpoint.key.get_secret_value()}"},
                json=self._body(query, texts),
                timeout=self._seconds,
            )
            if reply.status_code in (400, 422) and not self._texts:
                self._texts = True
                try:
                    return self._asked(query, texts)
                except foreign_errors():
                    self._texts = False
                    raise
            reply.raise_for_status()
            return _in_order(reply.json(), len(texts))

    def _body(self, query: str, texts: list[str]) -> dict[str, Any]:
        if self._texts:
            return {"query": query, "texts": texts, "truncate": True}
        return {"model": self.model, "query": query, "documents": texts, "top_n": len(texts)}


def _in_order(reply: Any, count: int) -> list[float]:
    rows = reply.get("results") if isinstance(reply, dict) else reply
    scores: dict[int, float] = {}
    for row in rows or ():
        found = row["relevance_score"] if "relevance_score" in row else row["score"]
        scores[int(row["index"])] = float(found)
    if set(scores) != set(range(count)) or not all(map(math.isfinite, scores.values())):
        raise ValueError("not one score a text")
    return [scores[place] for place in range(count)]
