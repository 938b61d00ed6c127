"""URLs as they may be shown: without credentials."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_USER = re.compile(r"(\w://)[^\s/@]*(?:@[^\s/@]*)*@")
_HOST = re.compile(r"(?:\[[^\[\]]*\]|[^:\[\]]*)(?::\d{0,5})?")
_PARAMETER = re.compile(
    r"([?&;\s](?:[\w-]*(?:key|token|secret|passw(?:or)?d|pwd)[\w-]*)=)[^\s&;#]+", re.IGNORECASE
)


def redact_urls(text: str) -> str:
    """`text` with user names and passwords of URLs, and parameters that hold a key, as `***`."""
    return _PARAMETER.sub(r"\1***", _USER.sub(r"\1***@", text))


def is_parsable(url: str) -> bool:
    """Whether a URL can be split into a host (for Postgres several) with a port. Of a password with
    an unescaped `/` a part would be taken for the port, and shown.
    """
    try:
        hosts = urlsplit(url).netloc.rpartition("@")[2].split(",")
    except ValueError:
        return False
    return url.isprintable() and " " not in url and all(map(_HOST.fullmatch, hosts))
