"""The reader's weights that lie on this machine, for tests and docs that show what it reads.

They are looked for once, when this module is imported: before tests leave the person's home.
"""

import os
from pathlib import Path

from rag.embed.weights import installed_models, models_folder
from state.choices import default_home

_HOME = Path(os.environ.get("CRAG_HOME") or default_home())
HELD = {each.folder.name: each.folder.resolve() for each in installed_models(_HOME)}
MISSING = "the reader's weights are not here: `crag model get` fetches them"
COMPLETE = bool(HELD)


def lent(home: Path) -> Path:
    """The home, which now reads with the weights of this machine."""
    assert COMPLETE, MISSING
    models_folder(home).mkdir(parents=True, exist_ok=True)
    for identity, folder in HELD.items():
        (models_folder(home) / identity).symlink_to(folder)
    return home
