"""The usual LangGraph corrective-RAG tutorial, rebuilt plainly to be measured against.

One grading call a document, in sequence; documents of earlier loops forgotten; a rewriting
call a loop; an answer even when nothing was relevant. Only the web search is left out.

    python tests/benchmarks/tutorial_crag.py URL FOLDER QUESTION
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, Field

CHUNK = 1000
OVERLAP = 100


class GradeDocuments(BaseModel):
    """Binary score for relevance check on retrieved documents."""

    binary_score: str = Field(description="Documents are relevant to the question, 'yes' or 'no'")


GRADE = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            """You are a grader assessing relevance of a retrieved document to a user question.
If the document contains keyword(s) or semantic meaning related to the question, grade it as
relevant. Give a binary score 'yes' or 'no' score to indicate whether the document is relevant
to the question.""",
        ),
        ("human", "Retrieved document: \n\n {document} \n\n User question: {question}"),
    ]
)
REWRITE = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            """You a question re-writer that converts an input question to a better version that
is optimized for web search. Look at the input and try to reason about the underlying semantic
intent / meaning.""",
        ),
        (
            "human",
            "Here is the initial question: \n\n {question} \n Formulate an improved question.",
        ),
    ]
)
ANSWER = ChatPromptTemplate.from_template(
    """You are an assistant for question-answering tasks. Use the following pieces of retrieved
context to answer the question. If you don't know the answer, just say that you don't know. Use
three sentences maximum and keep the answer concise.
Question: {question}
Context: {context}
Answer:"""
)


class State(TypedDict, total=False):
    question: str
    documents: list[Document]
    generation: str
    loops: int


def split(text: str) -> list[str]:
    step = CHUNK - OVERLAP
    return [text[at : at + CHUNK] for at in range(0, max(len(text) - OVERLAP, 1), step)]


class Tutorial:
    """The graph, against one OpenAI-compatible server."""

    def __init__(self, url: str, texts: Sequence[str], k: int = 4, max_loops: int = 3) -> None:
        """Over the texts, embedded by the server itself."""
        llm = ChatOpenAI(model="gpt-4o-mini", base_url=url, api_key="none", temperature=0)
        store = InMemoryVectorStore(
            OpenAIEmbeddings(  # type: ignore[call-arg] # by the aliases of its fields
                base_url=url, api_key="none", check_embedding_ctx_length=False
            )
        )
        store.add_texts([chunk for text in texts for chunk in split(text)])
        self.retriever = store.as_retriever(search_kwargs={"k": k}).invoke
        self.grader = GRADE | llm.with_structured_output(GradeDocuments, method="function_calling")
        self.rewriter = REWRITE | llm | StrOutputParser()
        self.answerer = ANSWER | llm | StrOutputParser()
        self.max_loops = max_loops
        self.graph = self._compile()

    def _compile(self) -> Any:
        graph = StateGraph(State)
        graph.add_node("retrieve", self.retrieve)
        graph.add_node("grade_documents", self.grade_documents)
        graph.add_node("transform_query", self.transform_query)
        graph.add_node("generate", self.generate)
        graph.add_edge(START, "retrieve")
        graph.add_edge("retrieve", "grade_documents")
        graph.add_conditional_edges("grade_documents", self.decide, ["transform_query", "generate"])
        graph.add_edge("transform_query", "retrieve")
        graph.add_edge("generate", END)
        return graph.compile()

    def retrieve(self, state: State) -> State:
        return {"documents": self.retriever(state["question"])}

    def grade_documents(self, state: State) -> State:
        kept = []
        for document in state["documents"]:
            score = self.grader.invoke(
                {"question": state["question"], "document": document.page_content}
            )
            if score.binary_score == "yes":
                kept.append(document)
        return {"documents": kept}

    def decide(self, state: State) -> str:
        spent = state.get("loops", 0) >= self.max_loops
        return "generate" if state["documents"] or spent else "transform_query"

    def transform_query(self, state: State) -> State:
        better = self.rewriter.invoke({"question": state["question"]})
        return {"question": better, "loops": state.get("loops", 0) + 1}

    def generate(self, state: State) -> State:
        context = "\n\n".join(document.page_content for document in state["documents"])
        asked = {"context": context, "question": state["question"]}
        return {"generation": self.answerer.invoke(asked)}

    def ask(self, question: str) -> str:
        return self.graph.invoke({"question": question}, {"recursion_limit": 50})["generation"]


if __name__ == "__main__":
    files = sorted(Path(sys.argv[2]).rglob("*.md"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    print(Tutorial(sys.argv[1], texts).ask(sys.argv[3]))
