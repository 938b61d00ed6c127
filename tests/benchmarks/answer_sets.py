"""What the answer benchmarks share: labelled questions, gold answers found in text, splits."""

from __future__ import annotations

import json
import re
import string
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from memory_collection import MemoryCollection  # noqa: E402

K = 8
# A stand-in for the grader where a benchmark is about what follows it.
RELEVANT_SHARE = 0.6


@dataclass(frozen=True)
class Asked:
    text: str
    answers: list
    relevant: set
    answerable: bool
    group: str  # never on both sides of a split


def load_set(data, name, limit=None):
    folder = Path(data) / name
    rows = [
        json.loads(line)
        for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    ][:limit]
    asked = [
        Asked(
            row.get("rewrite") or row["text"],
            row["answers"],
            set(row["relevant"]),
            row["answerable"],
            (row.get("context_doc") or row.get("conversation") or row["id"]).split("#")[0],
        )
        for row in rows
    ]
    return MemoryCollection.from_corpus(folder), asked


def halves(asked, seed=0):
    groups = sorted({question.group for question in asked})
    np.random.default_rng(seed).shuffle(groups)
    first = set(groups[::2])
    return (
        [question for question in asked if question.group in first],
        [question for question in asked if question.group not in first],
    )


def normal(text):
    """As SQuAD's own scorer compares answers."""
    text = "".join(" " if c in string.punctuation + "–—" else c for c in text.lower())
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", text).split())


def contains(text, answers):
    padded = f" {normal(text)} "
    return any(f" {normal(answer)} " in padded for answer in answers if normal(answer))


def relevant(chunks, share=RELEVANT_SHARE):
    return [chunk for chunk in chunks if chunk["score"] >= share * chunks[0]["score"]]


def grades(chunks):
    return {
        chunk["chunk_id"]: {
            "chunk_id": chunk["chunk_id"],
            "relevant": True,
            "verdict": "correct",
            "confidence": None,
            "reason": None,
            "grader": "local",
        }
        for chunk in chunks
    }


def fit_logistic(rows, labels, strength=1.0, weights=None):
    """Newton's method with an L2 penalty on standardised features; weights for raw values."""
    names = list(rows[0])
    x = np.array([[row[name] for name in names] for row in rows], dtype=float)
    y = np.array(labels, dtype=float)
    mean, scale = x.mean(0), x.std(0)
    scale[scale < 1e-9] = 1.0
    z = np.hstack([np.ones((len(x), 1)), (x - mean) / scale])
    importance = np.ones(len(y)) if weights is None else np.array(weights, dtype=float)
    penalty = np.full(z.shape[1], strength)
    penalty[0] = 0.0
    beta = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(z @ beta, -30, 30)))
        gradient = z.T @ (importance * (y - p)) - penalty * beta
        hessian = (z * (importance * p * (1 - p))[:, None]).T @ z + np.diag(penalty + 1e-9)
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    weights = beta[1:] / scale
    return {
        "intercept": float(beta[0] - weights @ mean),
        "weights": dict(zip(names, map(float, weights), strict=True)),
    }


def auc(scores, labels):
    order = np.argsort(np.argsort(np.array(scores), kind="stable")) + 1
    y = np.array(labels, dtype=bool)
    positives, negatives = y.sum(), (~y).sum()
    return float((order[y].sum() - positives * (positives + 1) / 2) / (positives * negatives))
