"""What a run costs with a model that is never content, over many small papers."""

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from openai_samples import settings_for
from research_model import asked_for, decide, of, subtask
from scripted_server import Body, Reply, ScriptedServer, Sent, call

from rag.research.run import Research
from rag.research.run_view import MOST_TOKENS
from state.tokens import count_tokens

TOPICS = ("harbour", "orchard", "foundry", "library", "airfield", "brewery", "quarry", "theatre")
PAPERS = 12
"""On each topic."""
NOTED = "It is noted of the {} in {} that its pump ran for {} hours before the warden came to see."
DOCUMENT = re.compile(r"<document> \[(\d+)\].*?\n(.*?)\n</document>", re.DOTALL)


NUMBERS = count(1)
FILES = {
    f"{topic}-{paper}.md": "\n\n".join(
        [
            f"# The {topic}, {paper}",
            *(NOTED.format(topic, 1900 + paper, next(NUMBERS)) for _ in range(12)),
        ]
    )
    for topic in TOPICS
    for paper in range(PAPERS)
}


def never_content(parts: int) -> Reply:
    """A model that plans every part anew in every round, finds much, and always lacks something.
    It counts what it is sent and what it replies.
    """
    rounds = count(1)

    def said(body: Body) -> Any:
        prompt = body["messages"][1]["content"]
        match asked_for(body):
            case "Plan":
                look = next(rounds)
                asked = (f"What is noted of the {topic}, look {look}?" for topic in TOPICS[:parts])
                return {"subtasks": [subtask("searcher", each) for each in asked]}
            case "Reflection":
                return decide("replan", leads=[f"more of the {topic}" for topic in TOPICS])
            case "Parts":
                return {"parts": [{"text": "It is noted. " * 10, "quotes": [*range(1, 9)]}] * 8}
        lines = (
            (int(n), line) for n, held in DOCUMENT.findall(prompt) for line in held.split("\n\n")
        )
        found = [{"text": line, "quotes": [{"document": n, "quote": line}]} for n, line in lines]
        lacks = [f"what is noted of the {topic}" for topic in TOPICS]
        return {"findings": found[:6], "not_found": lacks, "queries": lacks}

    def reply(body: Body) -> Sent:
        given, told = [message["content"] for message in body["messages"]], said(body)
        usage = count_tokens("\n".join(given)), count_tokens(json.dumps(told))
        return call(told, usage=usage)(body)

    return reply


@pytest.mark.parametrize("parts", [3, 5, 6, 8])
def test_a_run_over_many_small_papers_is_bounded_and_reads_for_up_to_six_parts_twice(
    home: Path, parts: int
):
    with (
        ScriptedServer(always=never_content(parts)) as server,
        Research(settings_for(server, home=home, engine="openai")) as run,
    ):
        report = run.start("What is noted of each?")
    usage = report["usage"]
    assert usage["llm_calls"] == len(server.requests) <= 20
    assert MOST_TOKENS * 2 / 3 < usage["input_tokens"] + usage["output_tokens"] <= MOST_TOKENS
    assert report["status"] == "partial", "it ends by itself"
    read = [request.prompt for request in of(server.requests, "Findings")]
    for topic in TOPICS[:parts]:
        assert sum(f"of the {topic}, look" in prompt for prompt in read) >= 1 + (parts <= 6)
