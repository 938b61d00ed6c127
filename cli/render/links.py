"""Links that open a cited file at its line, on terminals that know them (OSC 8)."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from rag.cited_files import cited_files
from state.answer import Answer
from state.turns import CitedFile

if TYPE_CHECKING:
    from rag.index.protocol import CollectionReader


def citation_links(template: str, answer: Answer, collection: CollectionReader) -> dict[int, str]:
    """URLs by marker, of those citations that are files here. `template`: the setting `links`."""
    if not template:
        return {}
    return file_links(template, answer, cited_files(answer["citations"], collection))


def file_links(template: str, answer: Answer, files: Mapping[str, CitedFile]) -> dict[int, str]:
    """As `citation_links`, of files that are known by their sources."""
    if not template:
        return {}
    return {
        citation["marker"]: template.format(
            host=quote(socket.gethostname()),
            path=quote(os.fsencode(files[citation["source"]]["path"])),
            line=citation["start_line"] or 1,
        )
        for citation in answer["citations"]
        if citation["source"] in files
    }
