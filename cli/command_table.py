"""Which commands there are: each is a module of `cli.commands`, and what the help says of it."""

from __future__ import annotations

COMMANDS = {
    "ingest": "Make the collection equal to these folders and files.",
    "ask": "Answer one question from the collection, each sentence cited.",
    "chat": "Talk with your documents; every turn is kept in its thread.",
    "search": "Print the chunks that a query retrieves, best first.",
    "open": "Open a place that the last answer cites.",
    "research": "Plan a question, research its parts, and write a cited report.",
    "trace": "Read, compare and replay stored traces.",
    "graph": "Print the corrective graph as Mermaid, from the compiled graph.",
    "threads": "List, show, export, delete and prune threads.",
    "collections": "List, show and delete collections, and forget folders.",
    "status": "Show what is indexed, what is stale, which models, how large.",
    "doctor": "Check each part and print the mending command.",
    "eval": "Score retrieval, grading, abstention and answers on a dataset.",
    "model": "List, fetch and remove the weights that rank by meaning.",
    "config": "Show, locate or start the settings file.",
    "mcp": "Serve the collection to agents over MCP; print their skill file.",
}
