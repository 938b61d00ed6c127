"""Trains the cross-encoder further on documentations with questions: rag/embed/judge.safetensors.

    python tests/benchmarks/train_judge.py --docs DIR... --home DIR --given FOLDER

Low-rank updates (Hu et al. 2021, "LoRA") of all its matrices, by what the program finds for each
question: of its best stretches, those that answer are to score above the others, and above zero.
A question has an answer, or is a near miss on the same matter, whose stretches all are wrong. One
epoch of 5,180 questions takes half an hour of two cores. FOLDER holds the weights as they are
fetched. Needs torch, which is not installed.
"""

import argparse
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from real_docs import Source, is_of, opened, sources
from safetensors.numpy import save_file
from shown import holds_all
from tokenizers import Tokenizer
from torch.nn import functional

from rag.embed.onnx_graph import Matrix
from rag.embed.onnx_weights import exported_weights
from rag.embed.weights import EXPORTED, JUDGE, TOKENIZER
from rag.index.language import reading_for
from rag.question.parts import read_parts
from rag.reading.reranker import Reranker
from rag.reading.scoring import judged_text, score_stretches

T = TypeVar("T")
RANK, RATE, QUESTIONS, STRETCHES, TOKENS = 8, 8e-4, 8, 6, 192
FLATTENED, SHIFT = 0.6, 4.0
"""A logit of -SHIFT is to mean that a stretch answers as likely as not."""


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    texts: Sequence[str]
    right: Sequence[bool]


def found(source: Source, home: Path) -> Iterator[Asked]:
    """The best stretches for each question, and two that answer where the program found such."""
    reranker = Reranker(home)
    with opened(source, home) as session:
        for query in source.queries:
            with reading_for(session.reader, query["text"]):
                part = read_parts(query["text"], session.reader)[0]["question"]
                hits = session.reader.search(part["text"], session.settings.k)
                best = score_stretches(part, hits, reranker)
            best.sort(key=lambda each: -each.score)
            texts = {True: list[str](), False: list[str]()}
            for each in (scored.stretch for scored in best):
                of_file = query["answerable"] and is_of(each.chunk["source"], query)
                texts[of_file and holds_all(each.text, query)].append(judged_text(each))
            right = texts[True][:2]
            wrong = texts[False][: STRETCHES - len(right)]
            yield Asked(part["text"], [*right, *wrong], [True] * len(right) + [False] * len(wrong))


class LowRank(torch.nn.Module):
    """A BERT's weights, which stay as they are, and their update."""

    def __init__(self, held: Mapping[str, Matrix]) -> None:
        super().__init__()
        self.held = {name: torch.tensor(values) for name, values in held.items()}
        self.update = torch.nn.ParameterDict()
        for name, values in self.held.items():
            if values.ndim > 1 and (".self." in name or ".dense." in name):
                matrix = name.removesuffix(".weight").replace(".", "/")
                down = torch.randn(RANK, values.shape[1]) / math.sqrt(values.shape[1])
                self.update[f"{matrix}/down"] = torch.nn.Parameter(down)
                self.update[f"{matrix}/up"] = torch.nn.Parameter(torch.zeros(len(values), RANK))

    def save(self, file: Path) -> None:
        made = {n.replace("/", "."): p.detach().numpy() for n, p in self.update.items()}
        save_file({name: values.astype(np.float16) for name, values in made.items()}, file)

    def linear(self, x: Any, name: str) -> Any:
        up, down = (self.update[f"{name.replace('.', '/')}/{each}"] for each in ("up", "down"))
        whole = functional.linear(x, self.held[f"{name}.weight"], self.held[f"{name}.bias"])
        return whole + x @ down.T @ up.T

    def norm(self, x: Any, name: str) -> Any:
        sides = (self.held[f"{name}.{each}"].to(x.dtype) for each in ("weight", "bias"))
        return functional.layer_norm(x, x.shape[-1:], *sides, eps=1e-12)

    def encoded(self, ids: Any, kinds: Any, mask: Any) -> Any:
        """The last layer's vectors, of shape (texts, tokens, width)."""
        words, places, types = (
            self.held[f"embeddings.{each}_embeddings.weight"]
            for each in ("word", "position", "token_type")
        )
        x = self.norm(words[ids] + places[: ids.shape[1]] + types[kinds], "embeddings.LayerNorm")
        layers = sum(name.endswith(".intermediate.dense.weight") for name in self.held)
        for own in (f"encoder.layer.{n}" for n in range(layers)):
            parts = (self.linear(x, f"{own}.attention.self.{n}") for n in ("query", "key", "value"))
            heads = (each.unflatten(-1, (-1, 32)).transpose(1, 2) for each in parts)
            seen = functional.scaled_dot_product_attention(*heads, attn_mask=mask[:, None, None])
            seen = self.linear(seen.transpose(1, 2).flatten(2), f"{own}.attention.output.dense")
            x = self.norm(x + functional.dropout(seen, 0.1), f"{own}.attention.output.LayerNorm")
            inner = functional.gelu(self.linear(x, f"{own}.intermediate.dense"))
            outer = functional.dropout(self.linear(inner, f"{own}.output.dense"), 0.1)
            x = self.norm(x + outer, f"{own}.output.LayerNorm")
        return x.float()


class Judge(LowRank):
    def forward(self, ids: Any, kinds: Any, mask: Any) -> Any:
        first = self.encoded(ids, kinds, mask)[:, 0]
        pooled = torch.tanh(self.linear(first, "pooler.dense"))
        weight, bias = self.held["classifier.weight"], self.held["classifier.bias"]
        return functional.linear(pooled, weight, bias)[:, 0]


def loss_of(judge: Judge, asked: Sequence[Asked], words: Tokenizer) -> Any:
    read = words.encode_batch([(each.question, text) for each in asked for text in each.texts])
    ids, kinds, mask = (
        torch.tensor([getattr(each, name) for each in read])
        for name in ("ids", "type_ids", "attention_mask")
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = judge(ids, kinds, mask.bool()).float()
    losses = []
    for each, said in zip(asked, logits.split([len(a.texts) for a in asked]), strict=True):
        right = torch.tensor(each.right)
        sure = functional.binary_cross_entropy_with_logits(
            FLATTENED * (said + SHIFT), right.float(), pos_weight=torch.tensor(2.0)
        )
        above = torch.logsumexp(said, 0) - torch.logsumexp(said[right], 0) if any(right) else 0
        losses.append(sure + above)
    return torch.stack(losses).mean()


def train(
    model: LowRank,
    every: Sequence[T],
    at_once: int,
    rate: float,
    loss_of: Callable[[Sequence[T]], Any],
) -> None:
    """One epoch; the loss of each batch is printed."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    batches = [every[n : n + at_once] for n in range(0, len(every), at_once)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=len(batches))
    for batch in batches:
        loss = loss_of(batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        schedule.step()
        print(f"{loss.item():.3f}", flush=True)


def arguments(told: str | None) -> argparse.Namespace:
    """What a training is given; chance is the same each time."""
    random.seed(0)
    torch.manual_seed(0)
    parser = argparse.ArgumentParser(description=told)
    parser.add_argument("--docs", type=Path, nargs="+", required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--given", type=Path, required=True)
    return parser.parse_args()


def main() -> None:
    given = arguments(__doc__)
    every = [asked for f in given.docs for each in sources(f) for asked in found(each, given.home)]
    words = Tokenizer.from_file(str(given.given / TOKENIZER))
    words.enable_truncation(TOKENS)
    words.enable_padding()
    random.shuffle(every)
    judge = Judge(exported_weights((given.given / EXPORTED).read_bytes()))
    train(judge, every, QUESTIONS, RATE, lambda batch: loss_of(judge, batch, words))
    judge.save(JUDGE.update)


if __name__ == "__main__":
    main()
