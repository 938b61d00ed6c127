from pathlib import Path

import numpy as np
import pytest

from rag.embed.builtin import DIMENSION, BuiltinEmbedder
from state.errors import SetupError

TEXTS = ["A sentence about whales.", "x", "日本語 and emoji 🐋", " ".join(["word"] * 900)]


def test_it_gives_what_wordllama_gives():
    import wordllama

    root = Path(wordllama.__file__).parent
    theirs = wordllama.WordLlama.load(cache_dir=root, disable_download=True)
    ours = BuiltinEmbedder()
    expected = theirs.embed(TEXTS, norm=True)
    np.testing.assert_allclose(ours.embed_documents(TEXTS), expected, atol=2e-6)
    np.testing.assert_allclose(ours.embed_query(TEXTS[0]), expected[0], atol=2e-6)


def test_line_breaks_and_indents_say_nothing():
    flat = "prime the pump - by hand - before the start"
    broken = "prime the pump\n\n- by hand\n\t- before the start\n"
    np.testing.assert_array_equal(*BuiltinEmbedder().embed_documents([flat, broken]))


def test_text_without_a_token_gives_a_zero_row_and_nothing_gives_none():
    vectors = BuiltinEmbedder().embed_documents(["", "whale", "\ud800"])
    assert not vectors[0].any()
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors[1]) == pytest.approx(1, abs=1e-5)
    assert BuiltinEmbedder().embed_documents([]).shape == (0, DIMENSION)


def test_a_missing_package_is_a_set_up_error_of_the_first_text(monkeypatch):
    monkeypatch.setattr("rag.embed.builtin.find_spec", lambda _name: None)
    embedder = BuiltinEmbedder()
    with pytest.raises(SetupError, match="wordllama"):
        embedder.embed_query("x")
