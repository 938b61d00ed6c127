"""A model that compares words: what a scripted server says where any sensible answer will do.

A document is relevant when it holds half of the question's words or more; an answer is the
sentence that shares most with the question, cited as its document was numbered. It reads
crag's own prompts and the tutorial's of tests/benchmarks.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

from scripted_server import Body, Sent, call, shape_asked, text

ENOUGH = 0.5
NO_ANSWER = "I cannot answer this from the documents."
_DOCUMENT = re.compile(r"<document> (\S+)[^\n]*\n(.*?)\n</document>", re.DOTALL)
_ASKED = (
    re.compile(r"Question: ([^\n]+)\s*\nContext:"),
    re.compile(r"initial question:\s*([^\n]+)"),
    re.compile(r"(?s:.*)uestion: ([^\n]+)"),
)
_COMMON_WORDS = """
a an and are as at be by do does for from had has have how in is it its many much of on or so
that the there this to was were what when where which who whom whose why will with
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def reply(body: Body) -> Sent:
    """To be given as `ScriptedServer(always=reply)`."""
    prompt = "\n".join(str(message["content"]) for message in body["messages"])
    asked = next(found[1].strip() for each in _ASKED if (found := each.search(prompt)))
    usage = (len(prompt) // 4, 20)
    if (shape := shape_asked(body)) is not None:
        return call(_filled(shape[1], asked, prompt), usage=usage)(body)
    return text(_written(asked, prompt), usage=usage)(body)


def vector(given: str) -> list[float]:
    """Words hashed to places."""
    found = [0.0] * 256
    for word in _words(given):
        found[zlib.crc32(word.encode()) % 256] += 1.0
    return found if any(found) else [1.0] * 256


def _filled(schema: dict[str, Any], asked: str, prompt: str) -> Body:
    told = dict(_DOCUMENT.findall(prompt))
    verdicts = {name: _overlap(asked, shown) >= ENOUGH for name, shown in told.items()}
    before, _, _ = prompt.partition(asked)
    values: Body = {
        "sufficient": any(verdicts.values()),
        "better_query": "" if any(verdicts.values()) else f"{asked} {len(prompt)}",
        "binary_score": "yes" if _overlap(asked, before) >= ENOUGH else "no",
    }
    for name in schema["properties"]:
        if name.startswith("document_"):
            values[name] = {"reason": "compared words", "relevant": verdicts.get(name, False)}
        elif name.startswith("claim_"):
            values[name] = {"reason": "compared words", "supported": True}
    return {name: values[name] for name in schema["properties"]}


def _written(asked: str, prompt: str) -> str:
    if "User:" in prompt:
        return asked
    if "Tried:" in prompt or "initial question" in prompt:
        return f"{asked} {len(prompt)}"
    shown = _DOCUMENT.findall(prompt) or [("", prompt.partition("Context:")[2])]
    sentences = [
        (" ".join(sentence.split()), number)
        for number, told in shown
        for sentence in re.split(r"(?<=[.!?])\s+|\n(?=- )|\n…\n", told)
    ]
    best, number = max(sentences, key=lambda sentence: _overlap(asked, sentence[0]))
    if _overlap(asked, best) < ENOUGH:
        return NO_ANSWER
    return f"{best.lstrip('- ').rstrip('.')} {number}".strip() + "."


def _words(given: str) -> set[str]:
    found = re.findall(r"[a-z0-9]+", given.lower())
    return {word.removesuffix("s") for word in found if word not in _COMMON}


def _overlap(asked: str, told: str) -> float:
    wanted = _words(asked)
    return len(wanted & _words(told)) / max(len(wanted), 1)
