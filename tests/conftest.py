import gc
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from isolation import heed_interrupts, leave_home, loopback_only
from postgres_server import PostgresServer, fresh_schema, running_postgres
from reader_weights import COMPLETE, MISSING

from rag.absent_packages import leave_out_packages

# What is imported and collected stays; to look for rubbish among it takes a third of the time.
gc.disable()
# As the program itself, also for the processes of tests that are started from here.
leave_out_packages()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the long forms too")


def pytest_xdist_auto_num_workers() -> int | None:
    """One more than cores: a test often waits for what it started. On two cores the suite takes
    a fifth less time so; with two more it takes longer again. xdist itself heeds the variable.
    """
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """A busy machine fails no property, and the short run tries the same examples every time:
    new ones are looked for by the long form.
    """
    long = config.getoption("--long")
    settings.register_profile(
        "crag",
        deadline=None,
        derandomize=not long,
        max_examples=300 if long else 50,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("crag")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Those that take longest come first: at the end one would leave the other workers idle."""
    items.sort(key=lambda item: item.path.parent.name != "docs")
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="a long form: run with --long"))
            elif item.get_closest_marker("ci") and "CI" not in os.environ:
                item.add_marker(pytest.mark.skip(reason="for CI: run with --long"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """From here on rubbish is collected, of what tests make."""
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """A quiet run leaves out pytest-randomly's header, and why tests were skipped."""
    if not COMPLETE:
        terminalreporter.write_line(f"tests that show what it reads are skipped: {MISSING}")
    if config.pluginmanager.hasplugin("randomly"):
        terminalreporter.write_line(
            f"in random order: --randomly-seed={config.option.randomly_seed}"
        )


@pytest.fixture(scope="session", autouse=True)
def _isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    heed_interrupts()
    leave_home(tmp_path_factory.mktemp("home"))
    with loopback_only():
        yield


@pytest.fixture(autouse=True)
def _own_umask() -> Iterator[None]:
    """A command that is run in this process makes its umask private; the next test's is not."""
    own = os.umask(0o022)
    os.umask(own)
    yield
    os.umask(own)


@pytest.fixture
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A home of the test's own with the FILES of its module, or else with those of `crag`."""
    from crag import FILES
    from ingest_runs import copied_home_of

    return copied_home_of(tmp_path, getattr(request.module, "FILES", FILES))


@pytest.fixture(scope="module")
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A session without a model on the FILES of the module."""
    from ingest_runs import session_of

    with session_of(tmp_path_factory.mktemp("session"), request.module.FILES) as opened:
        yield opened


@pytest.fixture(scope="module")
def railway(tmp_path_factory: pytest.TempPathFactory):
    """The collection of `local_corpus`."""
    from local_corpus import build

    with closing(build(tmp_path_factory.mktemp("home"))) as collection:
        yield collection


@pytest.fixture(scope="session")
def _weights() -> None:
    """For tests whose homes read with the reader (`reader_weights.lent`)."""
    if not COMPLETE:
        pytest.skip(MISSING)


@pytest.fixture(params=["home", "postgres"])
def url(request: pytest.FixtureRequest) -> str | None:
    """An empty schema of Postgres, or None where all is kept at home."""
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return server and fresh_schema(server.url)


@pytest.fixture(params=["home", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path):
    """A store of either kind, new for each test."""
    from shared_stores import new_store

    from rag.index.home.store import HomeStore

    if request.param == "home":
        return HomeStore(tmp_path / "home")
    return new_store(request.getfixturevalue("postgres").url)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real Postgres on loopback; tests that need one are skipped where none is installed."""
    with running_postgres() as server:
        yield server
