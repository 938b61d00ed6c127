"""The address and key of an OpenAI-compatible endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import SecretStr

from state.errors import SettingsError
from state.settings import Settings
from state.wording import is_parsable

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = SecretStr("no-key")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A parsed base URL; `host`, with a port that is not the scheme's, may be shown."""

    base_url: str
    query: tuple[tuple[str, str], ...]
    host: str
    loopback: bool
    key: SecretStr

    @property
    def is_openai(self) -> bool:
        return self.host == "api.openai.com"


def chat_endpoint(settings: Settings) -> Endpoint:
    """Raises SettingsError if the URL is unusable, or if OpenAI itself has no key."""
    host = host_of(settings.base_url)
    parts = urlsplit((settings.base_url or OPENAI_URL).strip())
    secret = "" if settings.api_key is None else settings.api_key.get_secret_value().strip()
    if host == "api.openai.com" and not secret:
        raise SettingsError(
            "There is no key for api.openai.com.",
            "Set OPENAI_API_KEY (or api_key), or use --engine local.",
        )
    if not secret.isascii() or not secret.isprintable():
        raise SettingsError("The setting api_key holds characters that no key has.")
    return Endpoint(
        base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
        query=tuple(parse_qsl(parts.query)),
        host=host,
        loopback=is_loopback(parts.hostname or ""),
        key=SecretStr(secret) if secret else NO_KEY,
    )


def host_of(base_url: str | None) -> str:
    """The host as it may be shown to a person, without credentials, path or query."""
    address = (base_url or OPENAI_URL).strip()
    parts = urlsplit(address if is_parsable(address) else "")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    wrong = hint = ""
    if parts.scheme not in ("http", "https") or not host:
        wrong, hint = "is no http(s) URL", "Write it like http://localhost:11434/v1."
    elif parts.username or parts.password:
        wrong, hint = "holds a user name or password", "Put the key into api_key."
    if not host or wrong:
        raise SettingsError(f"The setting base_url {wrong}.", hint)
    usual = {"http": 80, "https": 443}[parts.scheme]
    shown = f"[{host}]" if ":" in host else host
    return shown if port in (None, usual) else f"{shown}:{port}"


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
