"""Where threads and traces are kept: in the home, or in the database that the settings name."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from state.settings import Settings


class SharedPlace(NamedTuple):
    """A database and a schema of it, None for where the database looks first; or the home, where
    `url` is None.
    """

    url: str | None = None
    schema: str | None = None


def threads_place(settings: Settings) -> SharedPlace:
    """`threads` where it is set, else the shared store, else the home.

    Raises:
        RemoteStoreError: the store cannot be reached.

    """
    return SharedPlace(settings.threads) if settings.threads is not None else store_place(settings)


def store_place(settings: Settings) -> SharedPlace:
    """The shared store, where there is one in which this role may write, else the home; raises as
    `threads_place`.
    """
    if settings.store is not None and _may_write(settings.store, settings.store_schema):
        return SharedPlace(settings.store, settings.store_schema)
    return SharedPlace()


@cache
def _may_write(url: str, schema: str) -> bool:
    """Whether what this role asks can be kept there; False too where nothing was ingested."""
    from state.postgres import connect, place, postgres_failures

    with postgres_failures(place(url)), connect(url, schema) as db:
        row = db.execute(
            "select coalesce(has_table_privilege(to_regclass(%s), 'insert'), false)",
            (f"{schema}.traces",),
        ).fetchone()
    return row is not None and bool(row[0])
