"""What a line of an AsciiDoc document stands in: lists, delimited blocks, admonitions."""

from __future__ import annotations

from dataclasses import dataclass, field

_DEEPEST = 50


@dataclass(slots=True)
class OpenList:
    """The items of one marker: what introduces them, how many there are, and the last one.

    An empty marker stands for the item that a delimited block is within.
    """

    marker: str
    lead: int | None
    item: int | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class _Container:
    delimiter: str
    note: bool
    lists: list[OpenList]


@dataclass(slots=True)
class Nesting:
    """`note`: in a quotation or an admonition. Blocks are meant by their numbers."""

    note: bool = False
    lists: list[OpenList] = field(default_factory=list)
    _containers: list[_Container] = field(default_factory=list)

    @property
    def is_flat(self) -> bool:
        return not self._containers

    @property
    def level(self) -> int:
        """How many lists there are around."""
        lists = [*(each.lists for each in self._containers), self.lists]
        return sum(bool(each.marker) for some in lists for each in some)

    @property
    def item(self) -> int | None:
        """The item that holds what begins here."""
        return self.lists[-1].item if self.lists else None

    def enter(self, marker: str, lead: int | None) -> OpenList:
        """Begins an item of the list with this marker: an open one, or one within the item."""
        markers = [each.marker for each in self.lists]
        if marker in markers:
            del self.lists[markers.index(marker) + 1 :]
        else:
            self.lists.append(OpenList(marker, lead))
        self.lists[-1].count += 1
        return self.lists[-1]

    def end_lists(self) -> None:
        """Those of the delimited block that this is."""
        within = bool(self.lists) and not self.lists[0].marker
        del self.lists[int(within) :]

    def open(self, delimiter: str, *, note: bool) -> None:
        if len(self._containers) < _DEEPEST:
            self._containers.append(_Container(delimiter, self.note, self.lists))
            self.lists = [OpenList("", None, self.item)] if self.lists else []
            self.note |= note

    def close(self, delimiter: str) -> bool:
        """Ends the inmost block with this delimiter and what is within it, if there is one."""
        for depth in range(len(self._containers) - 1, -1, -1):
            around = self._containers[depth]
            if around.delimiter == delimiter:
                self.note, self.lists = around.note, around.lists
                del self._containers[depth:]
                return True
        return False
