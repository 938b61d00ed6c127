"""A BERT encoder of the same shape as the real one, but tiny and made up; its tokenizer knows a few
words.
"""

import math
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from rag.embed.weights import EXPORTED, TENSORS, TOKENIZER

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
    x = plain_states(tensors(), ids, [0] * len(ids))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def pair_tensors() -> dict[str, np.ndarray]:
    """Those of one that scores pairs of texts."""
    rng = np.random.default_rng(8)
    more = {"pooler.dense": (WIDTH, WIDTH), "classifier": (1, WIDTH)}
    found = tensors()
    for name, shape in more.items():
        found[f"{name}.weight"] = rng.normal(0, 0.2, shape).astype(np.float32)
        found[f"{name}.bias"] = rng.normal(0, 0.2, shape[0]).astype(np.float32)
    return found


def write_exported(folder: Path) -> Path:
    """The weights of `pair_tensors` as they come in an int8 graph, and the tokenizer of pairs."""
    import onnx
    from onnx import numpy_helper

    write(folder)
    made, matrices = [], 0
    for name, values in pair_tensors().items():
        called = name if name.startswith("classifier") else f"bert.{name}"
        if values.ndim < 2:
            made.append(numpy_helper.from_array(values, called))
            continue
        if name.startswith("encoder."):
            called, matrices = f"onnx::MatMul_{99 + matrices}", matrices + 1
        scale = float(np.abs(values).max()) / 100
        whole = np.rint((values if name.startswith("embeddings.") else values.T) / scale)
        made += [
            numpy_helper.from_array(whole.astype(np.int8), f"{called}_quantized"),
            onnx.helper.make_tensor(f"{called}_scale", 1, [], [scale]),
            onnx.helper.make_tensor(f"{called}_zero_point", 3, [], [0]),
        ]
    graph = onnx.helper.make_graph([], "pairs", [], [], made)
    onnx.save(onnx.helper.make_model(graph), str(folder / EXPORTED))
    words = Tokenizer.from_file(str(folder / TOKENIZER))
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    words.save(str(folder / TOKENIZER))
    return folder


def plain_states(w: dict[str, np.ndarray], ids: list[int], kinds: list[int]) -> np.ndarray:
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
    x = norm(x + w["embeddings.token_type_embeddings.weight"][kinds], "embeddings.LayerNorm")
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
    return x
