"""A real model behind crag, crag without one, and one plain prompt: the same questions.

    python tests/benchmarks/real_model.py --server http://127.0.0.1:8080/v1 --model qwen \
        [--limit 40] [--seed 7] [--ways model,local,plain,tutorial] [--show] DATA...

DATA is a folder as `crag eval` takes it. Right is an answer that contains one of the gold
answers, and for a question that the documents do not answer, a refusal. The plain prompt holds
the four best chunks whole, as most scripts do it; the tutorial is the usual LangGraph one, over the
same search. Tokens are the server's own counts.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

sys.path[:0] = [str(Path(__file__).resolve().parents[2])]

from rag.evaluate.datasets import Query, load_dataset, sampled  # noqa: E402
from rag.evaluate.prepare import prepare  # noqa: E402
from rag.session import Session  # noqa: E402
from state.choices import EngineName  # noqa: E402
from state.errors import CragError  # noqa: E402
from state.settings import Settings  # noqa: E402

BEST = 4
REFUSED = "I cannot answer"
PLAIN = (
    "Answer the question from the context and from nothing else, in one or two sentences. If "
    f"the context does not hold the answer, reply: {REFUSED}."
)


@dataclass(frozen=True)
class Outcome:
    """Of one question by one way; `calls` and `tokens` (of prompts) are the model's."""

    text: str
    refused: bool
    seconds: float
    calls: int = 0
    tokens: int = 0
    failed: bool = False


Way = Callable[[Query], Outcome]


def by_crag(session: Session) -> Way:
    def ask(query: Query) -> Outcome:
        began = time.perf_counter()
        try:
            answer = session.ask(query.text, history=query.history)
        except CragError as error:
            return Outcome(str(error), False, time.perf_counter() - began, failed=True)
        used = answer["usage"]
        refused = answer["status"] == "abstained"
        seconds = time.perf_counter() - began
        return Outcome(answer["answer"], refused, seconds, used["llm_calls"], used["input_tokens"])

    return ask


def by_plain_prompt(session: Session, server: str, model: str, timeout: float) -> Way:
    import openai

    client = openai.OpenAI(base_url=server, api_key="none", max_retries=0, timeout=timeout)

    def ask(query: Query) -> Outcome:
        began = time.perf_counter()
        hits = session.reader.search(query.rewrite or query.text, BEST)
        context = "\n\n".join(hit["text"] for hit in hits)
        try:
            reply = client.chat.completions.create(
                model=model,
                temperature=0,
                max_tokens=300,
                messages=[
                    {"role": "system", "content": PLAIN},
                    {
                        "role": "user",
                        "content": f"{context}\n\nQuestion: {query.rewrite or query.text}",
                    },
                ],
            )
        except openai.OpenAIError as error:
            return Outcome(str(error), False, time.perf_counter() - began, failed=True)
        text = reply.choices[0].message.content or ""
        tokens = reply.usage.prompt_tokens if reply.usage else 0
        refused = REFUSED.casefold() in text.casefold()
        return Outcome(text, refused, time.perf_counter() - began, 1, tokens)

    return ask


def by_tutorial(session: Session, server: str, model: str, timeout: float) -> Way:
    """The usual tutorial graph over the same search: its prompts, calls and loops."""
    from langchain_core.callbacks import get_usage_metadata_callback
    from langchain_core.documents import Document
    from langchain_openai import ChatOpenAI
    from tutorial_crag import Tutorial

    llm = ChatOpenAI(
        model=model, base_url=server, api_key="none", temperature=0, timeout=timeout, max_retries=0
    )

    def found(query: str) -> list[Document]:
        return [Document(hit["text"]) for hit in session.reader.search(query, BEST)]

    graph = Tutorial(llm, found)

    def ask(query: Query) -> Outcome:
        began = time.perf_counter()
        with get_usage_metadata_callback() as usage:
            try:
                text = graph.ask(query.rewrite or query.text)
            except Exception as error:  # noqa: BLE001 - whatever a small model's reply breaks
                return Outcome(str(error), False, time.perf_counter() - began, failed=True)
        tokens = sum(each["input_tokens"] for each in usage.usage_metadata.values())
        refused = "don't know" in text.casefold()
        return Outcome(text, refused, time.perf_counter() - began, 0, tokens)

    return ask


def is_right(query: Query, outcome: Outcome) -> bool:
    if outcome.failed or outcome.refused or query.answerable is False:
        return outcome.refused and query.answerable is False
    said = _plain(outcome.text)
    return any(_plain(answer) in said for answer in query.answers)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"\[\d+\]|[`*_]", "", text).casefold().split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--server", required=True)
    parser.add_argument("--model", default="qwen")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds a request may take")
    parser.add_argument("--ways", default="model,local,plain")
    parser.add_argument("--grader", default="auto")
    parser.add_argument("--home", type=Path, help="where indexes are kept for another run")
    parser.add_argument("--show", action="store_true", help="each answer as it comes")
    options = parser.parse_args()
    home = options.home or Path(mkdtemp(prefix="crag-real-model-"))
    asked = Settings(
        home=home,
        engine=EngineName.OPENAI,
        base_url=options.server,
        model=options.model,
        request_timeout=options.timeout,
        grader=options.grader,
    )
    for folder in options.data:
        dataset = load_dataset(folder)
        ready = prepare(dataset, asked, None, lambda *_: None, lambda _: None)
        alone = ready.model_copy(update={"engine": EngineName.LOCAL})
        queries = sampled(dataset.queries, options.limit, options.seed)
        with (
            Session(ready, keep_traces=False) as with_model,
            Session(alone, keep_traces=False) as local,
        ):
            every: dict[str, Way] = {
                "model": by_crag(with_model),
                "local": by_crag(local),
                "plain": by_plain_prompt(local, options.server, options.model, options.timeout),
                "tutorial": by_tutorial(local, options.server, options.model, options.timeout),
            }
            ways = {name: every[name] for name in options.ways.split(",")}
            rows = [(query, run(query, ways, show=options.show)) for query in queries]
        report(dataset.name, list(ways), rows)


def run(query: Query, ways: dict[str, Way], *, show: bool) -> dict[str, Outcome]:
    outcomes = {name: way(query) for name, way in ways.items()}
    if show:
        print(f"\n? {query.text}  {list(query.answers)[:2]}")
    for name, outcome in outcomes.items() if show else ():
        mark = "+" if is_right(query, outcome) else "-"
        cost = f"{outcome.seconds:.1f} s, {outcome.calls} calls, {outcome.tokens} tokens"
        print(f"{mark} {name} ({cost}): {' '.join(outcome.text.split())[:200]}", flush=True)
    return outcomes


def report(name: str, ways: list[str], rows: list[tuple[Query, dict[str, Outcome]]]) -> None:
    unanswerable = sum(query.answerable is False for query, _ in rows)
    print(f"\n{name}: {len(rows)} questions, {unanswerable} that the documents do not answer")
    print("| way | right | of it refused rightly | failed | seconds | calls | prompt tokens |")
    print("|---|---|---|---|---|---|---|")
    for way in ways:
        outcomes = [(query, found[way]) for query, found in rows]
        right = sum(is_right(query, outcome) for query, outcome in outcomes)
        refused = sum(is_right(q, o) and o.refused for q, o in outcomes)
        every = [outcome for _, outcome in outcomes]
        failed = sum(outcome.failed for outcome in every)
        print(
            f"| {way} | {right} | {refused} | {failed} | {sum(o.seconds for o in every):.0f} "
            f"| {sum(o.calls for o in every)} | {sum(o.tokens for o in every):,} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
