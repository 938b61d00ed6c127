"""All modules of crag, and what they import when they are used; for servers that fork."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import cli
import rag
import state
from rag.index.chroma import chromadb_module

for _package in (cli, rag, state):
    for _found in walk_packages(_package.__path__, f"{_package.__name__}."):
        if _found.name != "cli.__main__":  # it runs the program
            import_module(_found.name)
for _name in ("langchain_openai.chat_models.base", "mcp.server.mcpserver", "platformdirs"):
    import_module(_name)
import_module("tokenizers")
chromadb_module()
