"""The usual LangGraph corrective-RAG tutorial, rebuilt plainly to be measured against.

One grading call a document, in sequence; documents of earlier loops forgotten; a rewriting
call a loop; an answer even when nothing was relevant. Only the web search is left out.

    python tests/benchmarks/tutorial_crag.py URL FOLDER QUESTION [CHROMA]

With CHROMA, a folder, what was embedded once is kept there.
"""

import sys
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypedDict

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, Field

CHUNK = 1000
OVERLAP = 100


class GradeDocuments(BaseModel):
    """Binary score for relevance check on retrieved documents."""

    binary_score: str = Field(description="Documents are relevant to the question, 'yes' or 'no'")


GRADER = """You are a grader assessing relevance of a retrieved document to a user question.
If the document contains keyword(s) or semantic meaning related to the question, grade it as
relevant. Give a binary score 'yes' or 'no' score to indicate whether the document is relevant
to the question."""
RETRIEVED = "Retrieved document: \n\n {document} \n\n User question: {question}"
GRADE = ChatPromptTemplate.from_messages([("system", GRADER), ("human", RETRIEVED)])
REWRITER = """You a question re-writer that converts an input question to a better version that
is optimized for web search. Look at the input and try to reason about the underlying semantic
intent / meaning."""
INITIAL = "Here is the initial question: \n\n {question} \n Formulate an improved question."
REWRITE = ChatPromptTemplate.from_messages([("system", REWRITER), ("human", INITIAL)])
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


def filled(url: str, texts: Iterable[str], kept: str | None) -> VectorStore:
    """A store of the texts, embedded by the same OpenAI-compatible server."""
    embeddings = OpenAIEmbeddings(  # type: ignore[call-arg] # by the aliases of its fields
        base_url=url, api_key="none", check_embedding_ctx_length=False
    )
    if kept is None:
        store: VectorStore = InMemoryVectorStore(embeddings)
    else:
        from langchain_community.vectorstores import Chroma

        known = Path(kept).exists()
        store = Chroma("docs", embeddings, kept)
        if known:
            return store
    chunks = chain.from_iterable(map(split, texts))
    while batch := [*islice(chunks, 2_000)]:
        store.add_texts(batch)
    return store


def tutorial(url: str, store: VectorStore, k: int = 4, max_loops: int = 3) -> Any:
    """The compiled graph over what the store holds."""
    llm = ChatOpenAI(model="gpt-4o-mini", base_url=url, api_key="none", temperature=0)
    retriever = store.as_retriever(search_kwargs={"k": k})
    grader = GRADE | llm.with_structured_output(GradeDocuments, method="function_calling")
    rewriter = REWRITE | llm | StrOutputParser()
    answerer = ANSWER | llm | StrOutputParser()

    def retrieve(state: State) -> State:
        return {"documents": retriever.invoke(state["question"])}

    def grade_documents(state: State) -> State:
        question = state["question"]
        scores = [
            grader.invoke({"question": question, "document": document.page_content})
            for document in state["documents"]
        ]
        graded = zip(state["documents"], scores, strict=True)
        return {"documents": [document for document, s in graded if s.binary_score == "yes"]}

    def decide(state: State) -> str:
        spent = state.get("loops", 0) >= max_loops
        return "generate" if state["documents"] or spent else "transform_query"

    def transform_query(state: State) -> State:
        better = rewriter.invoke({"question": state["question"]})
        return {"question": better, "loops": state.get("loops", 0) + 1}

    def generate(state: State) -> State:
        context = "\n\n".join(document.page_content for document in state["documents"])
        asked = {"context": context, "question": state["question"]}
        return {"generation": answerer.invoke(asked)}

    graph = StateGraph(State)
    for node in (retrieve, grade_documents, transform_query, generate):
        graph.add_node(node)
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "grade_documents")
    graph.add_conditional_edges("grade_documents", decide, ["transform_query", "generate"])
    graph.add_edge("transform_query", "retrieve")
    graph.add_edge("generate", END)
    return graph.compile()


if __name__ == "__main__":
    url, folder, question, *kept = sys.argv[1:]
    texts = (file.read_text(encoding="utf-8") for file in sorted(Path(folder).rglob("*.md")))
    graph = tutorial(url, filled(url, texts, next(iter(kept), None)))
    print(graph.invoke({"question": question}, {"recursion_limit": 50})["generation"])
