"""A model that plans and reflects by the script it is given, and quotes what it reads."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from scripted_server import Body, Reply, Request, Sent, call, shape_asked

Subtasks = list[dict[str, Any]]
_DOCUMENT = re.compile(r"<document> ([^\n]*) #\w+\n(.*?)\n</document>", re.DOTALL)


def subtask(role: str, instruction: str, *reads: str, name: str = "") -> dict[str, Any]:
    named = {"expected_artifact": name or instruction, "read_files": list(reads)}
    return {"role": role, "instruction": instruction, **named}


def decide(decision: str, **fields: Any) -> dict[str, Any]:
    return {"decision": decision, "reason": f"scripted {decision}", **fields}


def researcher(
    plans: Sequence[Subtasks],
    decisions: Sequence[dict[str, Any]],
    before: Callable[[str], None] = lambda _what: None,
    usage: tuple[int, int] = (100, 10),
) -> Reply:
    """Plans and decisions come in their order, the last of each for ever. `before` is called
    with what is asked for: Plan, Reflection, Findings or Parts.
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
        task = re.split(r"(?:Question|Task):", prompt)[-1]
        documents = _DOCUMENT.findall(prompt)
        if what == "Parts":
            told = dict(documents)["findings"]
            lines = re.findall(r"^- (.*?) ((?:\[\d+\])+)$", told, re.MULTILINE)
            cited = [(text, [*map(int, re.findall(r"\d+", marks))]) for text, marks in lines]
            parts = [{"text": text, "quotes": numbers} for text, numbers in cited]
            return call({"parts": parts}, usage=usage)(body)
        found = []
        for heading, told in documents:
            sentence = nearest_sentence(told, task)
            if heading.startswith("[") and len(_words(sentence) & _words(task)) > 2:
                quote = {"document": int(heading[1 : heading.index("]")]), "quote": sentence}
                found.append({"text": sentence, "quotes": [quote]})
        missing = [] if found else [task.strip()]
        return call({"findings": found, "not_found": missing}, usage=usage)(body)

    return reply


def instead(good: Reply, **replies: Reply) -> Reply:
    """The model `good`, but for what is asked for by these names."""
    return lambda body: replies.get(asked_for(body), good)(body)


def asked_for(body: Body) -> str:
    shape = shape_asked(body)
    return shape[0] if shape else "answer"


def of(requests: Sequence[Request], *what: str) -> list[Request]:
    return [request for request in requests if asked_for(request.body) in what]


def nearest_sentence(told: str, question: str) -> str:
    """The sentence that shares the most words with the question, the first of several."""
    lines = [line for line in told.splitlines() if line[:1] not in ("#", "§", "")]
    sentences = re.split(r"(?<=\.) ", " ".join(lines))
    return max(sentences, key=lambda each: len(_words(each) & _words(question)))


def _words(told: str) -> set[str]:
    return set(re.findall(r"\w{4,}", told.lower()))
