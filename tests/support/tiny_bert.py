"""A BERT encoder of the same shape as the real one, but tiny and made up; its tokenizer knows a few
words.
"""

import math
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from rag.embed.weights import TENSORS, TOKENIZER

WIDTH, INNER, LAYERS, PLACES = 64, 96, 2, 256
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *["the", "wolf", "lamp", "oil", "eats", "fare", "bus", "ferry", "of", "a"],
]


def tensors(seed: int = 7) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.2, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": some(PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
    }
    linear = {"attention.self.query": (WIDTH, WIDTH), "attention.self.key": (WIDTH, WIDTH)}
    linear |= {"attention.self.value": (WIDTH, WIDTH), "attention.output.dense": (WIDTH, WIDTH)}
    linear |= {"intermediate.dense": (INNER, WIDTH), "output.dense": (WIDTH, INNER)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        for name, shape in linear.items():
            found[f"encoder.layer.{layer}.{name}.weight"] = some(*shape)
            found[f"encoder.layer.{layer}.{name}.bias"] = some(shape[0])
        norms += [f"encoder.layer.{layer}.{n}.LayerNorm" for n in ("attention.output", "output")]
    for name in norms:
        found[f"{name}.weight"] = 1 + some(WIDTH)
        found[f"{name}.bias"] = some(WIDTH)
    return found


def write(folder: Path) -> Path:
    """The two files that weights come as."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors(), folder / TENSORS)
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / TOKENIZER))
    return folder


def plain_vectors(ids: list[int]) -> np.ndarray:
    """What the encoder gives each token in float32, written down once more in numpy."""
    w = tensors()

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    def heads(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(ids), WIDTH // 32, 32).transpose(1, 0, 2)

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        own = f"encoder.layer.{layer}"
        q, k, v = (heads(linear(x, f"{own}.attention.self.{n}")) for n in ("query", "key", "value"))
        near = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(32))
        seen = (near / near.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), WIDTH)
        attended = x + linear(seen, f"{own}.attention.output.dense")
        x = norm(attended, f"{own}.attention.output.LayerNorm")
        inner = linear(x, f"{own}.intermediate.dense")
        erf = np.vectorize(math.erf)
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        x = norm(x + linear(inner, f"{own}.output.dense"), f"{own}.output.LayerNorm")
    return x / np.linalg.norm(x, axis=1, keepdims=True)
