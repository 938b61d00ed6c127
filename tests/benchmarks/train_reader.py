"""Trains the reader further on documentations with questions: rag/embed/reader.safetensors.

    python tests/benchmarks/train_reader.py --docs DIR... --home DIR --given FOLDER

Low-rank updates (Hu et al. 2021, "LoRA") of its encoder's matrices, by what the program finds for
each question: of the first chunk that answers and the best that do not, the one is to be nearest by
MaxSim (Khattab and Zaharia 2020), and so are, of their stretches, those that answer. FOLDER holds
the weights as they are fetched. An epoch of 3,200 questions takes half an hour of two cores. Needs
torch, which is not installed.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from real_docs import Source, is_of, opened, sources
from safetensors.numpy import load_file
from shown import holds_all
from tokenizers import Tokenizer
from torch.nn import functional
from train_judge import LowRank, arguments, train

from rag.embed.transformer import TOKENS
from rag.embed.weights import READER, TENSORS, TOKENIZER
from rag.index.candidates import RANKED
from rag.index.language import reading_for
from rag.question.parts import read_parts
from rag.reading.reranker import MEAN_WEIGHT, Reranker, chunk_with_headings
from rag.reading.scoring import extents_of
from rag.reading.stretches import stretches_of

RATE, QUESTIONS, CHUNKS = 1e-3, 6, 7
CHUNK_SCALE, STRETCH_SCALE = 30.0, 20.0
"""What similarities are multiplied with, as the loss of a choice among a few needs it."""


@dataclass(frozen=True, slots=True)
class Read:
    """A text's tokens, and where those begin and end that say something."""

    ids: list[int]
    said: list[int]
    spans: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the chunk that answers and others behind it, each with its stretches' extents
    and whether they answer.
    """

    question: Read
    chunks: Sequence[Read]
    stretches: Sequence[Sequence[tuple[list[tuple[int, int]], bool]]]


def read(words: Tokenizer, text: str) -> Read:
    found = words.encode(text)
    said = [n for n, (start, end) in enumerate(found.offsets) if re.search(r"\w", text[start:end])]
    return Read(found.ids, said, [found.offsets[n] for n in said])


def asked(source: Source, home: Path, words: Tokenizer) -> Iterator[Asked]:
    with opened(source, home) as session:
        session.reader.rerank = Reranker(home).rerank
        for query in filter(lambda each: each["answerable"], source.queries):
            with reading_for(session.reader, query["text"]):
                part = read_parts(query["text"], session.reader)[0]["question"]
                hits = session.reader.search(part["text"], RANKED)
            of_file = [is_of(each["source"], query) for each in hits]
            right = [
                n for n, hit in enumerate(hits) if of_file[n] and holds_all(hit["text"], query)
            ]
            wrong = [n for n, hit in enumerate(hits) if not holds_all(hit["text"], query)]
            if not right or not wrong:
                continue
            chunks, stretches = [], []
            for n in (right[0], *wrong[: CHUNKS - 1]):
                text = chunk_with_headings(hits[n])
                begins = len(text) - len(hits[n]["text"])
                chunks.append(read(words, text))
                stretches.append(
                    [
                        (extents_of(each, begins), of_file[n] and holds_all(each.text, query))
                        for each in stretches_of(hits[n])
                    ]
                )
            yield Asked(read(words, part["text"]), chunks, stretches)


class Reader(LowRank):
    def forward(self, texts: Sequence[Read]) -> list[Any]:
        """Unit vectors of each text's tokens that say something."""
        ids = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(each.ids) for each in texts], batch_first=True
        )
        lengths = torch.tensor([[len(each.ids)] for each in texts])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            vectors = self.encoded(ids, ids * 0, torch.arange(ids.shape[1]) < lengths)
        unit = functional.normalize(vectors, dim=-1)
        return [each[text.said] for each, text in zip(unit, texts, strict=True)]


def loss_of(reader: Reader, one: Asked) -> Any:
    question, *chunks = reader([one.question, *one.chunks])
    mean = functional.normalize(question.mean(0), dim=0)
    whole, near, right = [], [], []
    for text, vectors, stretches in zip(one.chunks, chunks, one.stretches, strict=True):
        cosines = question @ vectors.T / len(question)
        whole.append(cosines.max(1).values.sum())
        for extents, answers in stretches:
            inside = [
                n
                for n, (start, end) in enumerate(text.spans)
                if any(end > first and start < last for first, last in extents)
            ]
            if inside:
                own = functional.normalize(vectors[inside].mean(0), dim=0)
                near.append(cosines[:, inside].max(1).values.sum() + MEAN_WEIGHT * (mean @ own))
                right.append(answers)
    scores = CHUNK_SCALE * torch.stack(whole)
    loss = torch.logsumexp(scores, 0) - scores[0]
    if any(right) and not all(right):
        scores = STRETCH_SCALE * torch.stack(near)
        loss = loss + torch.logsumexp(scores, 0) - torch.logsumexp(scores[torch.tensor(right)], 0)
    return loss


def main() -> None:
    given = arguments(__doc__)
    words = Tokenizer.from_file(str(given.given / TOKENIZER))
    words.no_padding()
    words.enable_truncation(TOKENS)
    found = (asked(each, given.home, words) for folder in given.docs for each in sources(folder))
    every = [one for of_source in found for one in of_source]
    random.shuffle(every)
    reader = Reader(load_file(given.given / TENSORS))
    train(
        reader,
        every,
        QUESTIONS,
        RATE,
        lambda batch: torch.stack([loss_of(reader, one) for one in batch]).mean(),
    )
    reader.save(READER.update)


if __name__ == "__main__":
    main()
