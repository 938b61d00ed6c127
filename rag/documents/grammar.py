"""Reading a text that has a grammar: whole, with its blocks, as far as it can be parsed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from rag.documents.cleaning import clean
from rag.documents.encoding import text_blocks
from rag.documents.limits import TimeUpError
from rag.documents.stream import Part, Reading
from state.blocks import BlockKind, Placed

Parsed = tuple[str, Sequence[Placed]]
"""The text as it is shown, and its blocks."""


def read_parsed(
    reading: Reading,
    most: int,
    parse: Callable[[str], Parsed | None],
    by_lines: Callable[[Iterable[str]], Iterator[Part]],
) -> Iterator[Part]:
    """One piece with its blocks; `by_lines` reads what is longer than `most` characters, or what
    `parse` fails at or takes too long for.
    """
    texts = text_blocks(reading)
    held: list[str] = []
    length = 0
    for text in texts:
        held.append(text)
        length += len(text)
        if length > most:
            break
    else:
        found = _parsed(clean("".join(held)), parse, reading)
        if found is not None:
            text, placed = found
            reading.title = title_of(text, placed)
            yield Part(text, blocks=tuple(placed))
            return
    yield from by_lines(chain(held, texts))


def title_of(text: str, placed: Iterable[Placed]) -> str | None:
    """What a field calls the title, or the first heading."""
    heading: str | None = None
    for _, block in placed:
        shown = " ".join(text[block.start_char : block.end_char].split())
        if block.kind is BlockKind.METADATA:
            name, _, value = shown.partition(":")
            if name.lower() == "title" and value.strip(" \"'"):
                return value.strip(" \"'")
        elif block.kind is BlockKind.HEADING and heading is None:
            heading = shown
    return heading


def _parsed(text: str, parse: Callable[[str], Parsed | None], reading: Reading) -> Parsed | None:
    try:
        return parse(text)
    except TimeUpError:
        reading.deadline.step()
    except Exception as error:  # noqa: BLE001 - parsers raise anything at all on odd input
        logging.getLogger(__name__).info("read line by line: %r", error)
    return None
