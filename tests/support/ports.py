"""Free ports, and servers that are waited for until they listen on theirs."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def listening(port: int, *command: object) -> Iterator[None]:
    """While the command runs, which listens there."""
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(list(map(str, command)), **silent)
    deadline = time.monotonic() + 120
    try:
        while not is_taken(port):
            assert process.poll() is None, "the server ended at once"
            assert time.monotonic() < deadline, f"nothing listens on {port}"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(60)
