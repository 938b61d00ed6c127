"""A block, and where a text may be cut before it."""

from __future__ import annotations

from typing import NamedTuple

from state.blocks import Block


class Placed(NamedTuple):
    """`at` is the start of the block's first line, or of its fence's or overline's."""

    at: int
    block: Block
