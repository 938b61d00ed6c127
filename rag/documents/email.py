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


def read(reading: Reading) -> Iterator[Part]:
    """One piece a message, a forwarded one after the one that holds it."""
    data = reading.path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        data = decode(data).encode("utf-8")
    message = message_from_bytes(data.lstrip(), policy=policy.default)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise DocumentError("damaged email file: it has no headers")
    reading.title = _header(message, "Subject") or None
    waiting = [message]
    while waiting:
        message = waiting.pop(0)
        parts = list(_parts(message))
        nested = [part for part in parts if part.get_content_type() == "message/rfc822"]
        inner = (each for part in nested for each in part.iter_parts())
        waiting += [each for each in inner if isinstance(each, EmailMessage)]
        yield _message(message, [part for part in parts if part not in nested], reading)


def _message(message: EmailMessage, parts: list[EmailMessage], reading: Reading) -> Part:
    lines = [f"{key}: {value}" for key in _HEADERS if (value := _header(message, key))]
    names = [one_line(name) for part in parts if (name := part.get_filename())]
    if names:
        lines.append(f"Attachments: {', '.join(names)}")
        reading.warn("attachments are not read")
    bodies = [message.get_body(("plain", "html")), message.get_body(("html",)), *parts[:1]]
    texts = (_text(body, reading) for body in bodies if isinstance(body, EmailMessage))
    body = next(filter(str.strip, texts), "")
    return Part("\n".join(lines) + "\n\n" + body.strip("\r\n") + "\n\n")


def _text(part: EmailMessage, reading: Reading) -> str:
    payload = part.get_payload(decode=True)
    if part.get_content_maintype() != "text" or not isinstance(payload, bytes):
        return ""
    if part.get_content_subtype() == "html":
        return page_part(payload, reading)[1].text
    return decode(payload, part.get_content_charset())


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """Every part of this message, or itself where it has none; not of the messages within it."""
    if message.get_content_maintype() != "multipart":
        yield message
        return
    for part in message.iter_parts():
        if isinstance(part, EmailMessage):
            yield from [part] if part.get_content_type() == "message/rfc822" else _parts(part)


def _header(message: EmailMessage, key: str) -> str:
    try:
        return one_line(str(message.get(key) or ""), 500)
    except (ValueError, TypeError, AttributeError, IndexError):
        # The header parser stumbles over what spam writes; the raw line is as good.
        raw = [value for name, value in message.raw_items() if name.lower() == key.lower()]
        return one_line(str(raw[0]), 500) if raw else ""
