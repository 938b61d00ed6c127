"""Rewrites a query by code: spelling, then what the best passages say, then what they lack.

A rewrite is only proposed if it searches for something that no earlier query searched for.
"""

from __future__ import annotations

from rag.engines.local.rewrites import REWRITES, RewriteContext, read_context
from rag.engines.protocol import RewriteRequest, Rewritten
from rag.index.protocol import CollectionReader
from rag.index.terms import terms

_QUERY_CHARACTERS = 2000


def rewrite(request: RewriteRequest, collection: CollectionReader) -> Rewritten:
    tried = {_essence(query) for query in [request.question, *request.tried]}
    if request.suggested and _essence(request.suggested) not in tried:
        return Rewritten(request.suggested[:_QUERY_CHARACTERS], "as the grader suggested")
    context: RewriteContext = read_context(request, collection)
    for kind in REWRITES:
        proposed = kind(context)
        if proposed is None:
            continue
        query = " ".join(proposed.query.split())[:_QUERY_CHARACTERS]
        essence = _essence(query)
        if essence and essence not in tried:
            return Rewritten(query, proposed.reason)
    if not context.best:
        return Rewritten(None, "no passage comes near enough to learn better words from")
    return Rewritten(None, "no spelling to mend and no word to add that was not searched for")


def _essence(query: str) -> frozenset[str]:
    """What a search makes of a query: the same terms in another order find the same."""
    return frozenset(terms(query))
