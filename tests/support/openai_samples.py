"""Settings, chunks and requests that the model engine's tests share."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from scripted_server import Body, Reply, Request, ScriptedServer

from rag.engines.openai.openai_engine import OpenAIEngine
from rag.engines.protocol import Contextualized, Generated, Graded, Rewritten
from rag.session import open_session
from rag.text.blocks import blocks_of_text
from state.answer import Answer
from state.graph_state import GraphState, fresh, new_chunks
from state.passages import ContextDocument, Grade, HistoryTurn, RetrievedChunk
from state.settings import Settings

QUESTION = "What is the capital of France?"
KEY = "sk-test-abcdef0123456789"
_HOMES = TemporaryDirectory(prefix="crag-")  # removed as the process ends


def settings_for(server: ScriptedServer | None = None, **changed: Any) -> Settings:
    url = {} if server is None else {"base_url": server.url}
    usual: dict[str, Any] = {"api_key": KEY, "model": "gpt-4o-mini", "max_retries": 0}
    usual["request_timeout"] = 5.0
    usual["home"] = mkdtemp(dir=_HOMES.name)  # ports come again, and what is known of them stays
    return Settings(**{**url, **usual, **changed})


def with_model(server: ScriptedServer) -> dict[str, str]:
    """The environment of a command that asks the server and grades by it."""
    named = {"ENGINE": "openai", "GRADER": "model", "API_KEY": KEY, "MAX_RETRIES": "0"}
    return {"CRAG_BASE_URL": server.url, **{f"CRAG_{name}": each for name, each in named.items()}}


class StandIn:
    """What is asked of a local engine where the model is to do everything."""

    def contextualize(self, question: str, _history: Sequence[HistoryTurn]) -> Contextualized:
        return Contextualized(f"{question} (by code)" if question.startswith("And") else question)

    def grade(self, state: GraphState) -> Graded:
        new = new_chunks(state)
        grades = (grade_of(chunk["chunk_id"], relevant=False, grader="local") for chunk in new)
        return Graded(tuple(grades), sufficient=False)

    def rewrite(self, _state: GraphState) -> Rewritten:
        return Rewritten((), "code has no other words")


def connect(server: ScriptedServer | None, **changed: Any) -> OpenAIEngine:
    """The engine, whose model grades everything."""
    settings = settings_for(server, **{"grader": "model", **changed})
    return OpenAIEngine.connect(settings, StandIn())


def asked(
    home: Path, reply: Reply, question: str = QUESTION, pages: Body | None = None, **changed: Any
) -> tuple[Answer, list[Request]]:
    """The answer of a session, and what the model was asked for it."""
    with (
        ScriptedServer(always=reply, pages=pages) as server,
        open_session(settings_for(server, home=home, **changed)) as session,
    ):
        return session.ask(question), server.requests


def chunk_of(name: str, text: str, loop: int = 0) -> RetrievedChunk:
    return {
        "chunk_id": name,
        "source": f"{name}.md",
        "title": f"Title of {name}",
        "heading": "",
        "page": None,
        "start_line": 1,
        "end_line": 1,
        "start_char": 0,
        "end_char": len(text),
        "text": text,
        "blocks": blocks_of_text(text, "markdown"),
        "score": 1.0,
        "dense_rank": 1,
        "lexical_rank": 1,
        "loop": loop,
    }


PARIS = chunk_of("paris", "The capital of France is Paris.")
BERLIN = chunk_of("berlin", "Berlin is the capital of Germany.")
ROME = chunk_of("rome", "Rome is the capital of Italy.")


def asking(**given: Any) -> GraphState:
    """The state of a question."""
    return fresh(GraphState, **{"question": QUESTION, "standalone_question": QUESTION, **given})


def grading(*chunks: RetrievedChunk, **changed: Any) -> GraphState:
    new = [chunk["chunk_id"] for chunk in chunks]
    return asking(**{"documents": [*chunks], "new_documents": new, **changed})


def grade_of(name: str, *, relevant: bool, grader: str = "model") -> Grade:
    return fresh(Grade, chunk_id=name, relevant=relevant, grader=grader)


def document_of(number: int, chunk: RetrievedChunk) -> ContextDocument:
    source, title = chunk["source"], chunk["title"]
    return {"number": number, "source": source, "title": title, "excerpts": [chunk]}


def answering(*chunks: RetrievedChunk, **changed: Any) -> GraphState:
    given = enumerate(chunks or (PARIS,), 1)
    return asking(**{"context": [document_of(number, chunk) for number, chunk in given], **changed})


def said(result: Generated) -> str:
    """The text of a draft, without the proofs of its parts."""
    return "".join(part["before"] + part["text"] for part in result.parts).strip()


def verdict(relevant: Any, reason: str = "because") -> dict[str, Any]:
    return {"reason": reason, "holds": relevant}


def grades(*relevant: Any) -> dict[str, Any]:
    """The arguments of a whole grading call."""
    return {f"document_{n}": verdict(value) for n, value in enumerate(relevant, 1)}
