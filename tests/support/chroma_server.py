"""A real Chroma server on loopback for a test."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag.index.chroma_server import check_server
from state.errors import RemoteStoreError

_PATIENCE = 60.0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running_chroma(folder, port=None):
    """Yields its URL, on `port` or a free one; skips the test where `chroma run` cannot start."""
    program = Path(sys.executable).with_name("chroma")
    import chromadb

    installed = Path(chromadb.__file__).parents[4] / "bin" / "chroma"
    command = next((str(path) for path in (program, installed) if path.exists()), None)
    if command is None:
        pytest.skip("the `chroma` command is not installed")
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [command, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + _PATIENCE
        while True:
            with contextlib.suppress(RemoteStoreError):
                check_server(url)
                break
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.skip("`chroma run` does not start here")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        yield url
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
