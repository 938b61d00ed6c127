"""Who may read what crag keeps, and what it writes where a person asked for it."""

import os
import stat
import threading
from pathlib import Path

import pytest
from command_child import finished

from cli.files import write_text
from cli.terminal import Terminal
from rag.index.home.catalog import Catalog
from state.errors import StorageError

RAILWAY = "# The railway\n\nThe Corbel Tunnel is 1,204 metres long.\n"


def crag(home: Path, *arguments: str, umask: int) -> None:
    done = finished(*arguments, folder=home.parent, umask=umask, CRAG_HOME=str(home))
    assert done.returncode == 0, done.stderr


def modes(folder: Path) -> set[tuple[str, int]]:
    return {
        ("folder" if path.is_dir() else "file", stat.S_IMODE(path.stat().st_mode))
        for path in (folder, *folder.rglob("*"))
    }


PRIVATE = {("folder", 0o700), ("file", 0o600)}


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_a_home_is_its_owners_alone_whatever_the_umask(tmp_path, umask):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "railway.md").write_text(RAILWAY)
    home = tmp_path / "home"
    crag(home, "ingest", "docs", umask=umask)
    crag(home, "ask", "How long is the Corbel Tunnel?", "-t", "railway", umask=umask)
    crag(home, "research", "How long is the Corbel Tunnel?", "--out", "out.md", umask=umask)
    assert modes(home) == PRIVATE
    (tmp_path / "link.html").symlink_to("aim.html")
    crag(home, "trace", "last", "--html", "link.html", umask=umask)
    for asked_for in ("out.md", "aim.html"):
        assert stat.S_IMODE((tmp_path / asked_for).stat().st_mode) == 0o666 & ~umask


def test_so_are_home_and_catalog_of_a_program_that_sets_no_umask(tmp_path):
    umask = os.umask(0)
    try:
        Catalog(tmp_path / "home").connected().close()
    finally:
        os.umask(umask)
    assert modes(tmp_path / "home") == PRIVATE


def test_links_in_a_circle_are_named(tmp_path):
    circle = tmp_path / "circle.html"
    circle.symlink_to(circle)
    with pytest.raises(StorageError, match=r"circle\.html cannot be written"):
        write_text(circle, "text", Terminal(quiet=True))


def test_devices_pipes_and_links_are_written_through(tmp_path):
    aim, link, pipe = tmp_path / "aim.html", tmp_path / "link.html", tmp_path / "pipe"
    link.symlink_to(aim)
    write_text(link, "text", Terminal(quiet=True))
    assert link.is_symlink()
    assert aim.read_text() == "text"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "text", Terminal(quiet=True))
    reader.join(10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert got == ["text"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_device_fails_and_stays_a_device(tmp_path):
    device = tmp_path / "full"
    device.symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left on device"):
        write_text(device, "text", Terminal(quiet=True))
    assert device.is_symlink()
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_file_that_is_replaced_keeps_its_mode_and_nothing_is_left_beside_it(tmp_path):
    file = tmp_path / "report.md"
    file.write_text("old")
    file.chmod(0o640)
    write_text(file, "new", Terminal(quiet=True))
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
