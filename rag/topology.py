"""The nodes of the two graphs: where each leads, and when. What wires, counts and names nodes reads
it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ALWAYS = "always"
START, END = "__start__", "__end__"


@dataclass(frozen=True, slots=True)
class Step:
    """A node. `leads_to` says when it leads where; `runs` how often a turn can come by: once, once
    a loop, once a draft; `doing` what a terminal says meanwhile.
    """

    leads_to: Mapping[str, str]
    runs: Literal["once", "loop", "draft"] = "once"
    doing: str = ""


Topology = Mapping[str, Step]
"""Nodes by name, the one that begins first."""

CORRECTIVE: Topology = {
    "start_turn": Step({"contextualize": ALWAYS}),
    "contextualize": Step(
        {
            "retrieve": "it is a question",
            "record_turn": "it is small talk, or asks what there is",
        },
        doing="reading the conversation",
    ),
    "retrieve": Step({"grade_documents": ALWAYS}, "loop", "searching"),
    "grade_documents": Step(
        {
            "refine": "the relevant chunks suffice, the loops are spent, or a model decides",
            "transform_query": "they do not suffice and a loop is left, without such a model",
            "search_web": "nothing is relevant, `--web`, not searched yet",
            "abstain": "nothing is relevant and no loop is left",
            "record_turn": "nothing new was found for a model whose answer lacks something",
        },
        "loop",
        "grading",
    ),
    "transform_query": Step(
        {
            "retrieve": "there is a query that was not tried",
            "refine": "there is none, and something relevant was found",
            "search_web": "there is none, nothing is relevant, `--web`",
            "abstain": "there is none, and nothing relevant was found",
            "record_turn": "there is none for a model whose answer lacks something",
        },
        "loop",
        "rewriting the query",
    ),
    "refine": Step({"generate": ALWAYS}, "draft", "picking sentences"),
    "generate": Step({"check_answer": ALWAYS}, "draft", "answering"),
    "check_answer": Step(
        {
            "generate": "no claim is proved and one is contradicted, once (model only)",
            "transform_query": "the model was not given what the question is about, once",
            "abstain": "no claim is left",
            "record_turn": "what is left is not contradicted",
        },
        "draft",
        "checking the sources",
    ),
    "search_web": Step({"grade_documents": ALWAYS}),
    "abstain": Step({"record_turn": ALWAYS}),
    "record_turn": Step({END: ALWAYS}),
}
RESEARCH: Topology = {
    "cleanup": Step({"plan": ALWAYS}),
    "plan": Step({"dispatch": ALWAYS}),
    "dispatch": Step({"reflect": ALWAYS}),
    "reflect": Step(
        {
            "cleanup": "another round is worth it",
            "write": "it is answered, or nothing is left to follow",
            END: "only the person can say how to go on, and is asked",
        },
    ),
    "write": Step({END: ALWAYS}),
}
