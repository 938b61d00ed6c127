"""What the wheel holds besides files of the tree: the tokens for counting."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent))
from state.tokens import PACKED, packed_ranks


class BuildWithMade(build_py):
    """An editable install has them in the tree."""

    @property
    def _packed(self) -> Path:
        return PACKED if self.editable_mode else Path(self.build_lib, "state", PACKED.name)

    def run(self) -> None:
        super().run()
        self._packed.write_bytes(packed_ranks())

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        made = [] if self.editable_mode else [str(self._packed)]
        return [*super().get_outputs(include_bytecode), *made]


setup(cmdclass={"build_py": BuildWithMade})
