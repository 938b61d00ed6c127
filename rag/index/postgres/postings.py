"""The lexical index as rows: in each segment of chunks, every term with the chunks that hold it.

A posting is one integer: the chunk's place in its segment, how often it holds the term (in the
title and the headings counting double, as in FTS5's BM25 here) and how many terms it has. The
entries of a row stand by what they add to a score, so that of a term too common to read whole
the chunks that it tells most of are read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rag.index.lexical import HEAD_WEIGHT
from rag.index.postgres.shared_document_rows import copying
from rag.index.terms import TERMS_VERSION, indexed_text

if TYPE_CHECKING:
    import psycopg

    from rag.index.postgres.shared_collection_rows import StoredCollection

SEGMENT_CHUNKS = 2_000
"""At most; fewer than 2^11."""

READ_POSTINGS = 20_000
"""Of a query's terms together; past that each is read in part."""

_LEAST_READ = 8
_WORN_CHUNKS = 1_000
_K1, _B = 1.2, 0.75  # FTS5's, which are fixed
_MOST_TIMES, _MOST_TERMS = 0xFF, 0xFFF

SEARCH = f"""
SELECT chunk,
  sum(rarity * times * {_K1 + 1}
    / (times + {_K1 * (1 - _B)} + {_K1 * _B} * size / %(average)s)) AS score
FROM (
  SELECT asked.rarity, postings.segment + (entry >> 20) AS chunk,
    (entry >> 12 & 255)::float8 AS times, (entry & 4095)::float8 AS size
  FROM unnest(%(terms)s::text[], %(rarities)s::float8[]) AS asked (term, rarity)
  JOIN postings ON postings.collection_id = %(collection)s AND postings.term = asked.term
    AND postings.segment BETWEEN %(first)s - {SEGMENT_CHUNKS} AND %(past)s
  CROSS JOIN LATERAL unnest(postings.entries[:%(most)s]) AS entry
) AS found
GROUP BY chunk ORDER BY score DESC, chunk LIMIT %(limit)s
"""
SEARCH_AMONG = SEARCH.replace("GROUP", "WHERE %(spans)s::int4multirange @> chunk\nGROUP")
"""Of some chunks; of all the server plans better without the condition."""


REMOVE = """
WITH touched AS (
  SELECT segment, term, cardinality(entries) AS had, ARRAY(
    SELECT entry FROM unnest(entries) WITH ORDINALITY AS each (entry, place)
    WHERE NOT %(gone)s::int4multirange @> segment + (entry >> 20) ORDER BY place) AS kept
  FROM postings WHERE collection_id = %(collection)s AND segment = ANY(%(segments)s)
), changed AS (SELECT * FROM touched WHERE cardinality(kept) < had),
emptied AS (
  DELETE FROM postings USING changed WHERE postings.collection_id = %(collection)s
  AND postings.term = changed.term AND postings.segment = changed.segment AND kept = '{}'
), shrunk AS (
  UPDATE postings SET entries = kept FROM changed WHERE postings.collection_id = %(collection)s
  AND postings.term = changed.term AND postings.segment = changed.segment AND kept <> '{}'
)
UPDATE terms SET chunks = terms.chunks - fewer.chunks
FROM (SELECT term, sum(had - cardinality(kept)) AS chunks FROM changed GROUP BY term) AS fewer
WHERE terms.collection_id = %(collection)s AND terms.term = fewer.term
"""

_COUNT = """
INSERT INTO terms (collection_id, term, chunks)
SELECT %(collection)s, * FROM unnest(%(terms)s::text[], %(chunks)s::int[])
ON CONFLICT (collection_id, term) DO UPDATE SET chunks = terms.chunks + excluded.chunks
"""

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


def ranges(spans: Iterable[tuple[int, int]]) -> str:
    """Spans of chunks, each to before its second, as a multirange in words."""
    return "{" + ",".join(f"[{first},{past})" for first, past in spans) + "}"


class _Counted(NamedTuple):
    """A chunk by its place in a segment: how often it holds each term, its head's counting double,
    and how many it has.
    """

    place: int
    times: Mapping[str, int]
    size: int


def counted(place: int, text: str, title: str | None, heading: str) -> _Counted:
    body = indexed_text(text).split()
    head = indexed_text(f"{title} {heading}" if title else heading).split()
    times = Counter(body)
    for term in head:
        times[term] += int(HEAD_WEIGHT)
    return _Counted(place, times, len(body) + len(head))


def _segment_of(chunks: Sequence[_Counted]) -> Iterator[tuple[str, list[int]]]:
    """(term, entries) of a segment, in order."""
    average = max(sum(chunk.size for chunk in chunks), 1) / max(len(chunks), 1)
    held: dict[str, list[tuple[float, int]]] = {}
    for place, times, size in chunks:
        drag = _K1 * (1 - _B + _B * size / average)
        packed = place << 20 | min(size, _MOST_TERMS)
        for term, count in times.items():
            entry = packed | min(count, _MOST_TIMES) << 12
            held.setdefault(term, []).append((-count / (count + drag), entry))
    for term in sorted(held):
        found = held[term]
        if len(found) > 1:
            found.sort()
        yield term, [entry for _, entry in found]


def rarity(held: int, chunks: int) -> float:
    """FTS5's inverse document frequency of a term that so many of the chunks hold."""
    value = math.log((chunks - held + 0.5) / (held + 0.5))
    return value if value > 0 else 1e-6


def read_of_each(frequencies: Iterable[int], chunks: int) -> int:
    """How many entries of each row are read, so that all together stay within the budget."""
    held = list(frequencies)
    if sum(held) <= READ_POSTINGS:
        return SEGMENT_CHUNKS
    share = READ_POSTINGS // len(held)
    return max(_LEAST_READ, share * _WORN_CHUNKS // max(chunks, 1))


def write_segment(
    db: psycopg.Connection[Any], collection_id: int, segment: int, chunks: Sequence[_Counted]
) -> int:
    """Adds the postings of the chunks; returns how many terms they have in all."""
    held: Counter[str] = Counter()
    with copying(db, "postings", "collection_id, segment, term, entries") as copy:
        for term, entries in _segment_of(chunks):
            held[term] = len(entries)
            listed = ",".join(map(str, entries))
            # No term holds what this form would have to escape (`rag.index.terms`).
            copy.write(f"{collection_id}\t{segment}\t{term}\t{{{listed}}}\n")
    db.execute(
        _COUNT, {"collection": collection_id, "terms": list(held), "chunks": list(held.values())}
    )
    return sum(chunk.size for chunk in chunks)


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
            segments: dict[int, list[_Counted]] = {}
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
