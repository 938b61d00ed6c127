"""Python code in a process of its own, which has imported nothing yet."""

import os
import subprocess
import sys
from pathlib import Path


def run_code(code: str, *arguments: object, folder: Path | None = None, **variables: str) -> str:
    """What it prints. It ends well, with these more variables in its environment."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
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
