"""The lexical index of a collection, built again from its chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rag.index.postgres.batch import write_segment
from rag.index.postgres.postings import SEGMENT_CHUNKS, Counted, counted
from rag.index.terms import TERMS_VERSION

if TYPE_CHECKING:
    import psycopg

    from rag.index.postgres.shared_collection_rows import StoredCollection


COUNTS = """
SELECT (SELECT count(*) FROM chunks WHERE collection_id = %(collection)s),
  (SELECT count(*) FROM vectors WHERE collection_id = %(collection)s),
  (SELECT coalesce(sum(terms), 0) FROM chunks WHERE collection_id = %(collection)s),
  (SELECT count(*) FROM (SELECT term, sum(cardinality(entries)) AS held FROM postings
     WHERE collection_id = %(collection)s GROUP BY term) AS counted
   FULL JOIN (SELECT term, chunks FROM terms WHERE collection_id = %(collection)s) AS known
   USING (term) WHERE coalesce(held, 0) <> coalesce(chunks, 0))
"""
"""How many chunks and vectors there are, how many terms the chunks have, and how many terms are
counted otherwise than they are held.
"""


def same_terms(row: StoredCollection) -> bool:
    """Whether its terms were made by the rules of this program. Of a stemmer or a Unicode of
    another release a shared index is not built again: the machines of a team would do so in turn.
    """
    return row.terms_version.partition("/")[0] == TERMS_VERSION.partition("/")[0]


def rebuild_terms(db: psycopg.Connection[Any], row: StoredCollection) -> None:
    """Reads every chunk; inside a transaction of the caller, who holds the collection's lock."""
    for table in ("postings", "terms"):
        db.execute(f"DELETE FROM {table} WHERE collection_id = %s", (row.id,))
    total = 0
    with db.cursor("chunks") as cursor:
        cursor.execute(
            "SELECT chunks.id, text, title, heading FROM chunks"
            " JOIN documents ON documents.collection_id = chunks.collection_id"
            " AND documents.id = chunks.document_id"
            " WHERE chunks.collection_id = %s ORDER BY chunks.id",
            (row.id,),
            binary=True,
        )
        while rows := cursor.fetchmany(SEGMENT_CHUNKS):
            segments: dict[int, list[Counted]] = {}
            for number, text, title, heading in rows:
                place = number % SEGMENT_CHUNKS
                chunk = counted(place, text.decode("utf-8", "surrogatepass"), title, heading)
                segments.setdefault(number - place, []).append(chunk)
            for segment, chunks in segments.items():
                total += write_segment(db, row.id, segment, chunks)
                db.execute(
                    "UPDATE chunks SET segment = %s FROM unnest(%s::int[], %s::int[])"
                    " AS counted (id, terms) WHERE collection_id = %s AND chunks.id = counted.id",
                    (
                        segment,
                        [segment + chunk.place for chunk in chunks],
                        [chunk.size for chunk in chunks],
                        row.id,
                    ),
                )
    db.execute(
        "UPDATE collections SET terms = %s, terms_version = %s, revision = revision + 1"
        " WHERE id = %s",
        (total, TERMS_VERSION, row.id),
    )
