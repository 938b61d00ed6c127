"""Who may read what crag keeps."""

import os
import stat
from pathlib import Path

import pytest
from crag import run_forked
from document_files import written

from rag.index.home.catalog import Catalog

RAILWAY = "# The railway\n\nThe Corbel Tunnel is 1,204 metres long.\n"


def modes(folder: Path) -> set[tuple[str, int]]:
    return {
        ("folder" if path.is_dir() else "file", stat.S_IMODE(path.stat().st_mode))
        for path in (folder, *folder.rglob("*"))
    }


PRIVATE = {("folder", 0o700), ("file", 0o600)}


@pytest.mark.parametrize("umask", [0, 0o077])
def test_a_home_is_its_owners_alone_whatever_the_umask(tmp_path, umask):
    written(tmp_path / "docs", {"railway.md": RAILWAY})
    home = tmp_path / "home"
    question = "How long is the Corbel Tunnel?"
    for words in (("ingest", "docs"), ("ask", question, "-t", "railway"), ("research", question)):
        done = run_forked(home, *words, umask=umask)
        assert done.returncode == 0, done.stderr
    assert modes(home) == PRIVATE


def test_so_are_home_and_catalog_of_a_program_that_sets_no_umask(tmp_path):
    os.umask(0)
    Catalog(tmp_path / "home").connected().close()
    assert modes(tmp_path / "home") == PRIVATE
