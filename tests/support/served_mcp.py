"""A real `crag mcp` that listens on loopback, for tests that do not look at its start."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forked_program import crag_program
from ports import free_port, wait_for_port

ROOT = Path(__file__).parents[2]


@contextmanager
def served(home: Path) -> Iterator[str]:
    """The address of the server's tools, once it listens."""
    port = free_port()
    command = [crag_program(), "mcp", "--engine", "local", "--home", str(home)]
    process = subprocess.Popen([*command, "--http", str(port)], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(60)
