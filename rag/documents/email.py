"""Mail messages (EML) and saved web pages (MHTML): headers, body, the names of attachments."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage

from rag.documents.cleaning import one_line
from rag.documents.encoding import decode
from rag.documents.html import page_part
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_DEPTH = 10


def read(reading: Reading) -> Iterator[Part]:
    """One piece a message, a forwarded one after the one that holds it."""
    data = reading.path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        data = decode(data).encode("utf-8")
    message = message_from_bytes(data.lstrip(), policy=policy.default)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise DocumentError("damaged email file: it has no headers")
    reading.title = _header(message, "Subject") or None
    yield from _message(message, reading, 0)


def _message(message: EmailMessage, reading: Reading, depth: int) -> Iterator[Part]:
    lines = [f"{key}: {value}" for key in _HEADERS if (value := _header(message, key))]
    body, nested = _body(message, reading)
    attached = (p for p in _parts(message) if p.get_content_type() != "message/rfc822")
    names = [one_line(name) for part in attached if (name := part.get_filename())]
    if names:
        lines.append(f"Attachments: {', '.join(names)}")
        reading.warn("attachments are not read")
    yield Part("\n".join(lines) + "\n\n" + body.strip("\r\n") + "\n\n")
    for inner in nested:
        if depth >= _DEPTH:
            reading.warn(f"messages forwarded more than {_DEPTH} times were left out")
            return
        yield from _message(inner, reading, depth + 1)


def _body(message: EmailMessage, reading: Reading) -> tuple[str, list[EmailMessage]]:
    """The text of all inline parts, plain before HTML, and the messages attached."""
    nested = [
        part
        for wrapper in _parts(message)
        if wrapper.get_content_type() == "message/rfc822"
        for part in wrapper.iter_parts()
    ]
    text = ""
    bodies = [message.get_body(("plain", "html")), message.get_body(("html",))]
    for body in [*bodies, None if message.is_multipart() else message]:
        if not text.strip() and isinstance(body, EmailMessage):
            text = _text(body, reading)
    return text, [part for part in nested if isinstance(part, EmailMessage)]


def _text(part: EmailMessage, reading: Reading) -> str:
    if part.get_content_maintype() not in {"text", "multipart"}:
        return ""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    if part.get_content_subtype() == "html":
        return page_part(payload, reading)[1].text
    return decode(payload, part.get_content_charset())


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """Every part of this message, not of the messages within it."""
    if message.get_content_maintype() != "multipart":
        return
    for part in message.iter_parts():
        if isinstance(part, EmailMessage):
            yield part
            yield from _parts(part)


def _header(message: EmailMessage, key: str) -> str:
    try:
        return one_line(str(message.get(key) or ""), 500)
    except (ValueError, TypeError, AttributeError, IndexError):
        # The header parser stumbles over what spam writes; the raw line is as good.
        raw = [value for name, value in message.raw_items() if name.lower() == key.lower()]
        return one_line(str(raw[0]), 500) if raw else ""
