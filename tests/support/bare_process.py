"""Processes that are run to their end; Python code in one that has imported nothing yet."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def finished(command: Sequence[object], **options: Any) -> subprocess.CompletedProcess[str]:
    """However it ended; what it printed is held as text."""
    given = {"timeout": 120, **options}
    words = list(map(str, command))
    return subprocess.run(words, capture_output=True, text=True, check=False, **given)


def run_code(code: str, *arguments: object, folder: Path | None = None, **variables: str) -> str:
    """What it prints. It ends well, with these more variables in its environment."""
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    done = finished([sys.executable, "-c", code, *arguments], cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def without(*modules: str) -> str:
    """Code behind which these modules are not installed; as a folder's `sitecustomize` on
    PYTHONPATH also for all processes that are started.
    """
    return f"""import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if (name + ".").startswith({tuple(f"{each}." for each in modules)!r}):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Missing())
"""
