import socket
from pathlib import Path

import pytest
from isolation import NetworkForbiddenError


def test_the_outside_cannot_be_reached():
    with socket.socket() as sock, pytest.raises(NetworkForbiddenError, match=r"192\.0\.2\.1"):
        sock.connect(("192.0.2.1", 80))


def test_home_is_a_temporary_folder(tmp_path: Path):
    assert Path.home().is_relative_to(tmp_path.parent.parent)
