"""A model's grades, kept in a shared store: what one asked costs another less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.index.kept_grades import MOST_KEPT
from rag.index.postgres.database import Database
from state.postgres import value


class PostgresGrades:
    """A GradeCache; keys are hexadecimal digests. One whose role may only read keeps none. Beyond
    the limit those that were kept first go, at `used`: reading one writes nothing.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT key, grade FROM grades WHERE key = ANY(%s)",
                ([bytes.fromhex(key) for key in keys],),
            ).fetchall()
        return {bytes(key).hex(): grade for key, grade in rows}

    def put(self, entries: Mapping[str, str]) -> None:
        if not entries:
            return
        with self._database.writing() as db:
            if not value(db, "SELECT has_table_privilege('grades', 'INSERT')"):
                return
            db.execute(
                "INSERT INTO grades (key, grade) SELECT * FROM unnest(%s::bytea[], %s::text[])"
                " ON CONFLICT (key) DO UPDATE SET grade = excluded.grade, used = now()",
                (
                    [bytes.fromhex(key) for key in sorted(entries)],
                    [entries[key] for key in sorted(entries)],
                ),
            )
            db.execute(
                "DELETE FROM grades WHERE key IN"
                " (SELECT key FROM grades ORDER BY used DESC OFFSET %s)",
                (MOST_KEPT,),
            )

    def close(self) -> None:
        self._database.close()
