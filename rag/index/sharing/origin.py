"""Where a collection that is a copy was copied from, as its one root notes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """`uid` of the collection on the server `store`, and its token when the copy was made
    equal to it; empty while the first copy is not whole.
    """

    store: str
    uid: str
    token: str

    @property
    def options(self) -> str:
        return json.dumps({"copy_of": self.uid, "token": self.token})


def origin_of(roots: Mapping[str, str]) -> Origin | None:
    """`roots`: the roots of a collection with their options; None for one that is no copy."""
    for path, options in roots.items():
        noted = json.loads(options)
        if "copy_of" in noted:
            return Origin(path, noted["copy_of"], noted["token"])
    return None
