"""A model that plans, reflects, grades, answers and composes by the script it is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from openai_samples import verdict
from scripted_server import Body, Reply, Request, Sent, call, shape_asked, text

Subtasks = list[dict[str, Any]]
_DOCUMENT = re.compile(r"<document> ([^\n]*) #\w+\n(.*?)\n</document>", re.DOTALL)


def subtask(role: str, instruction: str, *reads: str, name: str = "") -> dict[str, Any]:
    return {
        "role": role,
        "instruction": instruction,
        "expected_artifact": name or instruction,
        "read_files": list(reads),
    }


def decide(decision: str, **fields: Any) -> dict[str, Any]:
    return {"decision": decision, "reason": f"scripted {decision}", **fields}


def researcher(
    plans: Sequence[Subtasks],
    decisions: Sequence[dict[str, Any]],
    before: Callable[[str], None] = lambda _what: None,
    usage: tuple[int, int] = (100, 10),
) -> Reply:
    """Plans and decisions come in their order, the last of each for ever. `before` is called
    with what is asked for: Plan, Reflection, SubagentReply, grade_documents or answer.
    """
    counts = {"Plan": 0, "Reflection": 0}

    def nth(what: str, script: Sequence[Any]) -> Any:
        counts[what] += 1
        return script[min(counts[what], len(script)) - 1]

    def reply(body: Body) -> Sent:
        what = asked_for(body)
        before(what)
        prompt = body["messages"][1]["content"]
        if what == "Plan":
            return call({"subtasks": nth(what, plans)}, usage=usage)(body)
        if what == "Reflection":
            return call(nth(what, decisions), usage=usage)(body)
        question = prompt.rsplit("Question:", 1)[1]
        documents = _DOCUMENT.findall(prompt)
        if what == "grade_documents":
            rows = {
                heading.split()[0]: verdict(len(_words(told) & _words(question)) > 1)
                for heading, told in documents
                if heading.startswith("document_")
            }
            extras = {"sufficient": True, "better_query": ""}
            return call({**rows, **extras}, usage=usage)(body)
        quotes = [(h.split()[0], told) for h, told in documents if h.startswith("[")]
        if what == "SubagentReply":
            content = " ".join(
                f"{nearest_sentence(told, question)[:-1]} {n}." for n, told in quotes
            )
            filled = {"artifact_name": "a", "content": content, "status": "done"}
            return call(filled, usage=usage)(body)
        number, told = max(quotes, key=lambda q: len(_words(q[1]) & _words(question)))
        return text(f"{nearest_sentence(told, question)[:-1]} {number}.", usage=usage)(body)

    return reply


def asked_for(body: Body) -> str:
    shape = shape_asked(body)
    return shape[0] if shape else "answer"


def of(requests: Sequence[Request], *what: str) -> list[Request]:
    return [request for request in requests if asked_for(request.body) in what]


def nearest_sentence(told: str, question: str) -> str:
    """The sentence that shares the most words with the question, the first of several."""
    sentences = [" ".join(each.split()).rstrip(".") + "." for each in told.split(". ")]
    return max(sentences, key=lambda each: len(_words(each) & _words(question)))


def _words(told: str) -> set[str]:
    return set(re.findall(r"\w{4,}", told.lower()))
