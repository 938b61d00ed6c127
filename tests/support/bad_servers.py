"""Servers that take a connection and then do what no server should, below HTTP and in it."""

import socket
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import sleep

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

Misdeed = Callable[[socket.socket, Event], None]


def _whole(head: bytes, body: bytes) -> bytes:
    return head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def _hang(_taken: socket.socket, done: Event) -> None:
    done.wait()


def _goes_on(head: bytes, piece: bytes, seconds: float) -> Misdeed:
    def send(taken: socket.socket, done: Event) -> None:
        taken.sendall(head)
        while not done.is_set():
            taken.sendall(piece)
            sleep(seconds)

    return send


def _says(data: bytes) -> Misdeed:
    return lambda taken, _done: taken.sendall(data)


def packed_zeros(megabytes: int) -> bytes:
    """In zlib's format, and made without packing them all: each piece stands for itself."""
    packer = zlib.compressobj(wbits=-15)
    piece = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    adler = (megabytes * 1_000_000 % 65_521) << 16 | 1
    return b"\x78\x9c" + piece * megabytes + packer.flush() + adler.to_bytes(4, "big")


MISDEEDS: dict[str, Misdeed] = {
    "hangs": _hang,
    "drips": _goes_on(_OK + b"Content-Length: 100000\r\n\r\n", b" ", 0.2),
    "drips headers": _goes_on(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.2),
    "floods": _goes_on(_OK + b"Connection: close\r\n\r\n", b'["x",' * 20_000, 0),
    "floods, packed": _says(_whole(_OK + b"Content-Encoding: deflate\r\n", packed_zeros(300))),
    "nests": _says(_whole(_OK, b"[" * 100_000)),
    "sends another shape": _says(_whole(_OK, b'{"data": 7, "choices": {}, "results": null}')),
    "sends a page": _says(_whole(_OK.replace(b"application/json", b"text/html"), b"<html>Sign in")),
    "says too much length": _says(_OK + b"Content-Length: 900\r\n\r\n{}"),
    "closes": _says(b""),
    "speaks no HTTP": _says(b"\x00\xff\x16SSH-2.0-x\r\n\r\n"),
    "redirects for ever": _says(_whole(b"HTTP/1.1 302 Found\r\nLocation: /again\r\n", b"")),
}


@contextmanager
def bad_server(misdeed: Misdeed) -> Iterator[int]:
    """The port of a server that does this with every connection."""
    done = Event()
    listening = socket.create_server(("127.0.0.1", 0))

    def take(taken: socket.socket) -> None:
        with taken, suppress(OSError):
            taken.settimeout(60)
            taken.recv(65_536)
            misdeed(taken, done)

    def accept() -> None:
        with suppress(OSError):
            while True:
                Thread(target=take, args=(listening.accept()[0],), daemon=True).start()

    Thread(target=accept, daemon=True).start()
    try:
        yield int(listening.getsockname()[1])
    finally:
        done.set()
        listening.close()
