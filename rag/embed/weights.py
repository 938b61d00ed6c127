"""Where the reader's weights lie in a home, and what they are known by."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from state.choices import default_home

MODEL = "all-MiniLM-L6-v2"
TENSORS, TOKENIZER = "model.safetensors", "tokenizer.json"
GRAPH = "encoder.onnx"
HASHES = {
    TENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of sentence-transformers' own files (Apache-2.0)."""
MEGABYTES = 91

IDENTITY = f"{MODEL.lower()}-{HASHES[TENSORS][:12]}-int8-tokens"
"""What the weights are, however they came here; part of what each kept vector is known by."""
OFFER = f"`crag model get` ({MEGABYTES} MB, once) has what is found ranked by meaning."


@dataclass(frozen=True, slots=True)
class InstalledModel:
    name: str
    folder: Path

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self.folder.iterdir())


def models_folder(home: Path) -> Path:
    return home / "models"


def installed_model(home: Path) -> InstalledModel | None:
    """The reader's weights, if they were fetched for this home or for the user's own."""
    for place in (home, default_home()):
        folder = models_folder(place) / IDENTITY
        if all((folder / name).is_file() for name in (GRAPH, TOKENIZER)):
            return InstalledModel(MODEL, folder)
    return None


def remove_model(home: Path) -> bool:
    """Also what a fetch that was broken off has left; whether there was anything. Notes of
    what a person was told once stand beside them and stay.
    """
    folder = models_folder(home)
    held = [each for each in folder.iterdir() if each.is_dir()] if folder.is_dir() else []
    for each in held:
        shutil.rmtree(each)
    return bool(held)
