"""Mail messages (EML) and saved web pages (MHTML): headers, body, the names of attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr, parsedate

from rag.documents.cleaning import clean
from rag.documents.encoding import decoded
from rag.documents.html import page_part
from rag.documents.stream import Part, Reading
from state.documents import QUOTED_BY
from state.errors import DocumentError
from state.wording import shorten

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_FORWARDED = re.compile(r"(?:fwd?|wg|tr)\s*:", re.IGNORECASE)
_ORIGINAL = re.compile(
    r"^-{3,}[ \t]*(?:original message|original[ -]?nachricht|forwarded message|message d['’]origine"
    r"|weitergeleitete nachricht|message transféré)[ \t]*-{3,}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_WRITTEN = {"text/plain", "text/html"}


def read(reading: Reading) -> Iterator[Part]:
    """One piece a message and one for what it quotes below its own words; a message that is
    attached after the one that holds it.
    """
    data = reading.path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        data = decoded(data).text.encode("utf-8")
    message = message_from_bytes(data.lstrip(), policy=policy.default)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise DocumentError("damaged email file: it has no headers")
    reading.title = _header(message, "Subject") or None
    yield from _message(message, reading)
    for part in message.walk():
        if part.get_content_type() == "message/rfc822" and part.is_multipart():
            inner = part.get_payload(0)
            if isinstance(inner, EmailMessage):
                yield from _message(inner, reading)


def _message(message: EmailMessage, reading: Reading) -> Iterator[Part]:
    lines = [f"{key}: {value}" for key in _HEADERS if (value := _header(message, key))]
    attached = message.iter_attachments() if message.is_multipart() else [message]
    if names := [shorten(clean(name), 120) for part in attached if (name := part.get_filename())]:
        lines.append(f"Attachments: {', '.join(names)}")
        reading.warn("attachments are not read")
    own, quoted = _without_quotation(_body(message, reading))
    sent = _sent(message)
    yield Part("\n".join(lines) + "\n\n" + own + "\n\n", anchor=sent)
    if quoted:
        how = "forwarded by" if _FORWARDED.match(_header(message, "Subject")) else QUOTED_BY
        yield Part(f"{quoted}\n\n", anchor=sent and sent.replace("from", how, 1))


def _without_quotation(body: str) -> tuple[str, str]:
    """The body, and what it quotes at its end (lines that begin with ">", and the line above that
    says whose they are, or what is below a line such as "-----Original Message-----"): somebody
    else wrote that.
    """
    if drawn := _ORIGINAL.search(body):
        return body[: drawn.start()].rstrip(), body[drawn.start() :].strip()
    lines = body.split("\n")
    begin = len(lines)
    while begin and (lines[begin - 1].startswith(">") or not lines[begin - 1].strip()):
        begin -= 1
    quotes = any(line.startswith(">") for line in lines[begin:])
    while quotes and begin and lines[begin - 1].rstrip().endswith((":", ">")):
        begin -= 1  # "On …, Anna <anna@example.org>" and "wrote:"
    own = "\n".join(lines[:begin]).rstrip()
    return (own, "\n".join(lines[begin:]).strip()) if quotes and own else (body, "")


def _body(message: EmailMessage, reading: Reading) -> str:
    """What is written in it: of alternatives the first that has words, else all of its parts that
    follow each other, such as what stands below an attachment.
    """
    if not message.is_multipart():
        return _text(message, reading).strip("\r\n")
    bodies = (
        _body(part, reading)
        for part in message.iter_parts()
        if isinstance(part, EmailMessage) and not part.get_filename()
        if part.get_content_maintype() == "multipart" or part.get_content_type() in _WRITTEN
    )
    written = filter(str.strip, bodies)
    is_choice = message.get_content_subtype() == "alternative"
    return next(written, "") if is_choice else "\n\n".join(written)


def _sent(message: EmailMessage) -> str | None:
    """The place in a correspondence: by whom and when; None for a saved page."""
    name, address = parseaddr(_header(message, "From"))
    day = parsedate(_header(message, "Date"))
    on = "" if day is None else ", {}-{:02}-{:02}".format(*day)
    return f"from {name or address}{on}" if "@" in address else None


def _text(part: EmailMessage, reading: Reading) -> str:
    payload = part.get_payload(decode=True)
    if part.get_content_maintype() != "text" or not isinstance(payload, bytes):
        return ""
    if part.get_content_subtype() == "html":
        return page_part(payload, reading)[1].text
    return decoded(payload, part.get_content_charset()).text


def _header(message: EmailMessage, key: str) -> str:
    try:
        return shorten(clean(str(message.get(key) or "")), 500)
    except (ValueError, TypeError, AttributeError, IndexError):
        # The header parser stumbles over what spam writes; the raw line is as good.
        raw = [value for name, value in message.raw_items() if name.lower() == key.lower()]
        return shorten(clean(str(raw[0])), 500) if raw else ""
