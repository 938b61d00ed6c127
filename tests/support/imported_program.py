"""All modules of crag, and what they import when they are used; for servers that fork."""

import gc
from importlib import import_module
from pkgutil import walk_packages

import cli
import rag
import state
from rag.absent_packages import leave_out_packages

gc.disable()  # what is imported stays
leave_out_packages()  # as the program itself, before anything imports what is left out
for _package in (cli, rag, state):
    for _found in walk_packages(_package.__path__, f"{_package.__name__}."):
        if _found.name != "cli.__main__":  # it runs the program
            import_module(_found.name)

from rag.embed.builtin import builtin_embedder  # noqa: E402
from rag.endpoint.failures import foreign_errors  # noqa: E402
from rag.engines.local.grader_model import grader_model  # noqa: E402
from rag.graph import shared_graph  # noqa: E402
from rag.index.home.chroma import chromadb_module  # noqa: E402
from state.tokens import encoding  # noqa: E402

chromadb_module()
for _name in (
    *("chromadb.api.rust", "chromadb.telemetry.product.posthog", "tokenizers"),
    *("langchain_core.tracers.context", "langchain_core.tracers.run_collector"),
    *("langchain_core.tracers.stdout", "langchain_openai.chat_models.base"),
    *("langgraph.checkpoint.sqlite", "mcp.server.mcpserver", "platformdirs", "typer._adapters"),
    # What asking a model imports.
    *("openai.lib.streaming.chat", "openai.resources.chat.completions", "httpcore2", "truststore"),
    *("encodings.idna", "langchain_core.runnables.fallbacks", "langchain_core.tools.simple"),
    "langchain_core.messages.block_translators.langchain_v0",
):
    import_module(_name)
encoding()
shared_graph()
# What the first question reads, which takes longer than the question.
builtin_embedder().embed_query("read")
grader_model()
foreign_errors()
# A collection in a forked process would copy all of it.
gc.freeze()
gc.enable()
