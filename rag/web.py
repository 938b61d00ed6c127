"""The web as a second retriever: a SearXNG endpoint that the person named, off by default.

It is CRAG's action for "incorrect" (Yan et al. 2024, section 4.5). Results are graded and cited
like any chunk; their `source` is the page's URL and their text the snippet that was sent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from rag.text.blocks import blocks_of_text
from state.background import call_with_timeout
from state.errors import RemoteError, SettingsError
from state.graph_state import fresh
from state.passages import WEB_PREFIX, RetrievedChunk
from state.settings import Settings
from state.wording import without_surrogates

MAX_SNIPPET = 2_000


@dataclass(frozen=True, slots=True)
class WebSearch:
    """Searches one SearXNG endpoint. Nothing is imported or sent before the first search."""

    url: str
    timeout: float

    def __call__(self, query: str, k: int) -> Sequence[RetrievedChunk]:
        """At most `k` snippets, best first, as chunks.

        Raises:
            RemoteError: the endpoint was unreachable, refused, or replied with no JSON.
        """
        from rag.endpoint.failures import cause_in_words, foreign_errors

        try:
            found = self._found(query[:500])[:k]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise self._failed(f"its reply is no SearXNG JSON ({type(error).__name__})") from None
        except foreign_errors() as error:
            raise self._failed(cause_in_words(error)) from None
        return [
            _chunk(rank, url, _field(item, "title"), text)
            for rank, item in enumerate(found, 1)
            if (text := _field(item, "content").strip()[:MAX_SNIPPET])
            and (url := _field(item, "url")).startswith(("https://", "http://"))
        ]

    def _found(self, query: str) -> list[dict[str, Any]]:
        from rag.endpoint.bounded_client import BoundedClient

        asked = {"q": query, "format": "json"}
        with BoundedClient(self.url, timeout=self.timeout) as client:
            reply = call_with_timeout(self.timeout, lambda: client.get(self.url, params=asked))
        if reply.status_code != HTTPStatus.OK:
            raise OSError(f"HTTP {reply.status_code}")
        results = reply.json().get("results")
        if not isinstance(results, list):
            raise TypeError("results is no list")
        return [item for item in results if isinstance(item, dict)]

    def _failed(self, why: str) -> RemoteError:
        host = urlsplit(self.url).netloc.rpartition("@")[2]
        return RemoteError(
            f"The web search at {host} failed: {why}.",
            "Check web_url, and that the endpoint allows format=json.",
        )


def open_web(settings: Settings) -> WebSearch:
    """The web search of the settings; raises SettingsError if they name no endpoint."""
    if not (settings.web_url or "").startswith(("http://", "https://")):
        raise SettingsError(
            "--web needs a SearXNG endpoint.", "Set CRAG_WEB_URL=https://host/search."
        )
    return WebSearch(str(settings.web_url), min(settings.request_timeout or 30.0, 30.0))


def _field(item: dict[str, Any], name: str) -> str:
    return without_surrogates(str(item.get(name) or ""))


def _chunk(rank: int, url: str, title: str, text: str) -> RetrievedChunk:
    digest = hashlib.blake2b(f"{url}\0{text}".encode(), digest_size=8)
    return fresh(
        RetrievedChunk,
        chunk_id=WEB_PREFIX + digest.hexdigest(),
        source=url,
        title=title or None,
        anchor="snippet",
        start_line=1,
        end_line=text.count("\n") + 1,
        end_char=len(text),
        text=text,
        blocks=blocks_of_text(text),
        score=1 / rank,
    )
