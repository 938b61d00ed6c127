"""The reader's weights that lie on this machine, for tests and docs that show what it reads.

They are looked for once, when this module is imported: before tests leave the person's home.
"""

import os
from pathlib import Path

from rag.embed.weights import IDENTITY, installed_model, models_folder
from state.choices import default_home

HELD = installed_model(Path(os.environ.get("CRAG_HOME") or default_home()))
MISSING = "the reader's weights are not here: `crag model get` fetches them"


def lent(home: Path) -> Path:
    """The home, which now reads with the weights of this machine."""
    assert HELD is not None, MISSING
    place = models_folder(home) / IDENTITY
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(HELD.folder.resolve())
    return home
