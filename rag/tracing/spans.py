"""A trace as OpenTelemetry spans with the GenAI semantic conventions' names.

A question is an `invoke_agent` span with one span a node beneath it, and the model calls
beneath their nodes; a research run has its rounds' nodes, its subtasks and their questions.
Times are the trace's own. Ids follow from the trace's id, so the same trace is never twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from state.answer import Answer
from state.events import Event, ModelCalled
from state.research_events import ResearchEvent, SubtaskFinished
from state.research_state import Subtask
from state.traces import Trace

Value = str | int | float | bool


@dataclass(slots=True)
class Span:
    """`start` and `end` are nanoseconds since 1970; `client` is a call to another program."""

    trace_id: bytes
    span_id: bytes
    parent_id: bytes
    name: str
    start: int
    end: int = 0
    client: bool = False
    failed: bool = False
    attributes: dict[str, Value | None] = field(default_factory=dict)


def spans_of(trace: Trace, asked: Sequence[Trace] = (), *, content: bool = False) -> list[Span]:
    """The whole tree, its root first; `asked` are the traces of a research run's questions.
    Questions, answers, queries, names and quotes are in it only with `content`.
    """
    tree = _Tree(
        sha256(trace["trace_id"].encode()).digest()[:16],
        {child["trace_id"]: child for child in asked},
        content=content,
    )
    tree.run(trace, b"")
    return tree.spans


class _Tree:
    def __init__(self, trace_id: bytes, asked: Mapping[str, Trace], *, content: bool) -> None:
        self.spans: list[Span] = []
        self._trace_id = trace_id
        self._asked = asked
        self._content = content

    def run(self, trace: Trace, parent: bytes) -> None:
        """The spans of a question, or of a research run with its questions'."""
        answer, first = trace["answer"], len(self.spans)
        node = root = self._root(trace, parent)
        base = 0
        tasks: dict[str, Span] = {}
        events: Iterable[Event | ResearchEvent] = trace["events"]
        for event in events:
            match event["event"]:
                case "turn_started" | "research_started":
                    base = round(event["started_at"] * 1e6) * 1000
                    root.start = root.start or base
                    root.attributes["gen_ai.data_source.id"] = event["collection"]
                case "node_started":
                    node = self._node(event["node"], root, base + _nanoseconds(event["at_ms"]))
                case "node_finished":
                    node.end = node.start + _nanoseconds(event["ms"])
                case "model_called":
                    self._call(event, tasks.get(event["node"], node), base, answer)
                case "retrieved":
                    self._retrieved(node, event["query"], event["chunks"], root)
                case "subtask_started":
                    task = event["subtask"]
                    at = base + _nanoseconds(event["at_ms"])
                    tasks[task["id"]] = self._subtask(task, node, at)
                case "subtask_finished":
                    self._returned(event, tasks[event["subtask"]])
                case "decided" | "reflected":
                    node.attributes["crag.decision"] = event["decision"]
                case _:
                    continue
        _end(root, trace, self.spans[first:])

    def _subtask(self, task: Subtask, node: Span, start: int) -> Span:
        made = self._span(f"invoke_agent {task['role']}", node.span_id, start)
        made.attributes |= {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": task["role"],
            **self._said("crag.subtask", task["instruction"]),
        }
        return made

    def _returned(self, event: SubtaskFinished, task: Span) -> None:
        task.end = task.start + _nanoseconds(event["ms"])
        task.attributes["crag.status"] = event["status"]
        if (child := self._asked.get(event["trace_id"] or "")) is not None:
            self.run(child, task.span_id)

    def _root(self, trace: Trace, parent: bytes) -> Span:
        answer = trace["answer"]
        quotes = [[c["source"], c["quote"]] for c in answer["citations"]]
        agent = "crag.research" if trace["kind"] == "research" else "crag"
        root = self._span(f"invoke_agent {agent}", parent)
        last = trace["events"][-1]
        if last["event"] == "failed":
            root.failed = True
            root.attributes["error.type"] = last["error"]
        root.attributes |= {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": agent,
            "gen_ai.provider.name": _provider(answer),
            "gen_ai.request.model": answer["engine"]["model"],
            "gen_ai.conversation.id": answer["thread"],
            "gen_ai.usage.input_tokens": answer["usage"]["input_tokens"],
            "gen_ai.usage.output_tokens": answer["usage"]["output_tokens"],
            "crag.trace_id": trace["trace_id"],
            "crag.status": answer["status"],
            "crag.loops": answer["loop_count"],
            "crag.citations": len(answer["citations"]),
            "crag.claims_unverified": sum(c["verdict"] == "unverified" for c in answer["claims"]),
            "crag.claims_dropped": len(answer["dropped"]),
            "crag.model_calls": answer["usage"]["llm_calls"],
            "crag.cost_usd": answer["usage"]["cost_usd"],
            **self._said("gen_ai.input.messages", _messages("user", answer["question"])),
            **self._said("gen_ai.output.messages", _messages("assistant", answer["answer"])),
            **self._said("crag.quotes", json.dumps(quotes)),
        }
        return root

    def _node(self, name: str, root: Span, start: int) -> Span:
        node = self._span(name, root.span_id, start)
        node.attributes["crag.node"] = name
        if name == "search_web":
            node.name = "execute_tool search_web"
            node.attributes |= {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "search_web",
            }
        return node

    def _retrieved(self, node: Span, query: str, chunks: Sequence[Any], root: Span) -> None:
        collection = root.attributes.get("gen_ai.data_source.id")
        if "gen_ai.tool.name" not in node.attributes:
            node.name = f"retrieval {collection}"
            node.attributes["gen_ai.operation.name"] = "retrieval"
            node.attributes["gen_ai.data_source.id"] = collection
        found = [{"id": c["chunk_id"], "score": c["score"], "source": c["source"]} for c in chunks]
        node.attributes |= {
            "crag.chunks": len(chunks),
            "crag.new_chunks": sum(chunk["new"] for chunk in chunks),
            **self._said("gen_ai.retrieval.query.text", query),
            **self._said("gen_ai.retrieval.documents", json.dumps(found)),
        }

    def _call(self, event: ModelCalled, node: Span, base: int, answer: Answer) -> None:
        start = base + _nanoseconds(event["at_ms"])
        call = self._span(f"{event['operation']} {event['model']}", node.span_id, start)
        call.client, call.failed = True, event["failed"]
        call.end = start + _nanoseconds(event["ms"])
        server = urlsplit(f"//{event['host']}")
        chat = event["operation"] != "embeddings"
        call.attributes |= {
            "gen_ai.operation.name": event["operation"],
            "gen_ai.provider.name": "openai" if not chat else _provider(answer),
            "gen_ai.request.model": event["model"],
            "gen_ai.prompt.name": event["prompt"],
            "gen_ai.usage.input_tokens": event["input_tokens"] if chat else None,
            "gen_ai.usage.output_tokens": event["output_tokens"] if chat else None,
            "server.address": server.hostname,
            "server.port": server.port,
            "error.type": "ModelError" if event["failed"] else None,
        }

    def _span(self, name: str, parent: bytes, start: int = 0) -> Span:
        number = len(self.spans).to_bytes(4, "big")
        identity = sha256(self._trace_id + number).digest()[:8]
        self.spans.append(Span(self._trace_id, identity, parent, name, start))
        return self.spans[-1]

    def _said(self, name: str, text: str) -> dict[str, Value | None]:
        return {name: text} if self._content else {}


def _provider(answer: Answer) -> str:
    """The conventions call whatever speaks OpenAI's protocol openai."""
    return "openai" if answer["engine"]["name"] == "openai" else "crag"


def _messages(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _end(root: Span, trace: Trace, own: Sequence[Span]) -> None:
    if trace["kind"] == "answer":
        root.end = root.start + _nanoseconds(trace["answer"]["timings_ms"]["total"])
    for span in own:
        span.end = span.end or span.start
        root.end = max(root.end, span.end)


def _nanoseconds(ms: float) -> int:
    return round(ms * 1e6)
