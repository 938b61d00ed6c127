"""The corrective graph for LangGraph's own tools: `langgraph dev` and Studio (langgraph.json).

It answers with the local engine from the collection that `CRAG_HOME` and `CRAG_COLLECTION` name;
threads are the tool's own.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

from rag.dependencies import Dependencies
from rag.graph import compile_graph
from rag.session import Session, new_trace_id, open_session
from state.settings import load_settings

if TYPE_CHECKING:
    from rag.graph import CompiledGraph


@cache
def _session() -> Session:
    return open_session(load_settings({"engine": "local"}), keep_traces=False)


async def corrective_graph() -> CompiledGraph:
    """Compiled for one run, as the tools ask for it, beside the loop that serves the others.

    Raises:
        CragError: as `open_session`.
    """
    return await asyncio.to_thread(_compiled)


def _compiled() -> CompiledGraph:
    """What a turn is given is within its nodes: no context can come over HTTP."""
    session = _session()
    return compile_graph(
        Dependencies(
            settings=session.settings,
            reader=session.reader,
            meaning=session.meaning,
            engine=session.engine,
            trace_id=new_trace_id(),
        )
    )
