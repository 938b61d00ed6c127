import socket
from pathlib import Path

import pytest
from isolation import NetworkForbiddenError


def test_the_outside_cannot_be_reached():
    with socket.socket() as sock, pytest.raises(NetworkForbiddenError, match=r"192\.0\.2\.1"):
        sock.connect(("192.0.2.1", 80))


def test_loopback_can():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as sock:
        sock.connect(server.getsockname())
        assert sock.getpeername() == server.getsockname()


def test_home_is_a_temporary_folder(tmp_path: Path):
    assert Path.home().is_relative_to(tmp_path.parent.parent)
