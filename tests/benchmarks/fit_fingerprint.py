"""What a fitted file was made by: a hash of the code that makes its features.

A file fitted by other code is stale: its numbers weigh something else. Comments and docstrings
do not count.
"""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SHARED = (
    "rag/index/lexicons/english.txt",
    "rag/index/ranking.py",
    "rag/index/terms.py",
    "rag/question/parse.py",
    "rag/question/specificity.py",
    "rag/question/spelling.py",
)
MADE_BY = {
    "rag/engines/local/grader.json": (
        "rag/engines/local/grade.py",
        "rag/index/candidates.py",
        *_SHARED,
    ),
}
"""Every fitted file, with the modules whose change makes it stale; run `make fit` then."""


def fingerprint(fitted: str) -> str:
    """Of the code behind the fitted file, as it stands."""
    digest = hashlib.blake2b(digest_size=10)
    for name in MADE_BY[fitted]:
        text = (ROOT / name).read_text(encoding="utf-8")
        digest.update(f"{name}\0{_code(text) if name.endswith('.py') else text}\0".encode())
    return digest.hexdigest()


def _code(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)  # a docstring
    return ast.dump(tree)
