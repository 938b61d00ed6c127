"""Which commands there are: the module of each, and what the help says of it."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "ingest": (
        "cli.commands.ingest",
        "Make the collection equal to these folders and files.",
    ),
    "ask": ("cli.commands.ask", "Answer one question from the collection, each sentence cited."),
    "chat": ("cli.commands.chat", "Talk with your documents; every turn is kept in its thread."),
    "search": ("cli.commands.search", "Print the chunks that a query retrieves, best first."),
    "open": (
        "cli.commands.open",
        "Open a place that the last answer cites.",
    ),
    "research": (
        "cli.commands.research",
        "Plan a question, research its parts, and write a cited report.",
    ),
    "trace": (
        "cli.commands.trace",
        "Read, compare and replay stored traces.",
    ),
    "graph": (
        "cli.commands.graph",
        "Print the corrective graph as Mermaid, from the compiled graph.",
    ),
    "threads": ("cli.commands.threads", "List, show, export, delete and prune threads."),
    "collections": (
        "cli.commands.collections",
        "List, show, copy and delete collections, and forget folders.",
    ),
    "status": (
        "cli.commands.status",
        "Show what is indexed, what is stale, which models, how large.",
    ),
    "doctor": (
        "cli.commands.doctor",
        "Check each part and print the mending command.",
    ),
    "eval": (
        "cli.commands.evaluate",
        "Score retrieval, grading, abstention and answers on a dataset.",
    ),
    "config": ("cli.commands.config", "Show, locate or start the settings file."),
    "mcp": (
        "cli.commands.mcp",
        "Serve the collection to agents over MCP; install it there.",
    ),
    "skill": ("cli.commands.skill", "Print or install the skill file for agents."),
}


UNLISTED = {
    "man": ("cli.commands.man", "Print the manual page."),
    "schema": ("cli.commands.schema", "Print the JSON Schema of the lines of --events."),
}
