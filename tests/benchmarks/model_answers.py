"""What a model is given of the answers, and what a real one makes of it beside one plain prompt.

    python tests/benchmarks/model_answers.py --docs DIR... [--home DIR] [--limit N]
        [--server http://127.0.0.1:8080/v1 --model qwen] [--plain] [--talks]

Without `--server` no model is asked: how often the answer stands within what one would be given
of the first search, and in how many tokens. With it each question is asked of crag, and with
`--plain` of the plain prompt that most scripts send, with the four best chunks whole. Right is what
holds a string of each group of `must` (or one of `answers`) in the model's words; for a question
that the documents do not answer, a refusal. The sums stand at the end, with times and calls.
`--talks` asks the sources' conversations in place of their questions: crag with the turns before,
the plain prompt with what was asked and replied to it before, its chunks found by the last question
as it was typed. A turn that is no question of the documents (`answerable` null) is not judged.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from real_docs import opened, sources, talks_of
from shown import holds_all

from rag.context import MAX_CHUNKS, build_context
from rag.session import Session, open_session
from state.passages import to_history_turn
from state.settings import Settings
from state.tokens import count_tokens

PLAIN_BEST = 4
REFUSED = "I cannot answer"
PLAIN = (
    "Answer the question from the context and from nothing else, in one or two sentences. If "
    f"the context does not hold the answer, reply: {REFUSED}."
)
TOKENS = (1_500, 6_000)


def given(session: Session, query: dict[str, Any]) -> dict[str, Any]:
    """Whether the answer stands in what a model would be given, and how long that is."""
    found = session.reader.search(query["text"], MAX_CHUNKS)
    row: dict[str, Any] = {"id": query["id"], "answerable": query["answerable"]}
    for tokens in TOKENS:
        context = build_context(found, session.reader, tokens)
        told = "\n".join(e["text"] for document in context for e in document["excerpts"])
        row[f"within {tokens}"] = holds_all(told, query)
        row[f"tokens of {tokens}"] = count_tokens(told)
    return row


def by_crag(session: Session, query: dict[str, Any], history: list[Any]) -> dict[str, Any]:
    """Lengthens the history by this turn."""
    began = time.perf_counter()
    answer = session.ask(query["text"], history=history)
    history.append(to_history_turn(answer, len(history) + 1, milestone=False))
    refused = answer["status"] == "abstained"
    proved = [claim["verdict"] for claim in answer["claims"]]
    return {
        "right": refused != query["answerable"] and (refused or holds_all(answer["answer"], query)),
        "status": answer["status"],
        "answer": answer["answer"],
        "verified": proved.count("verified"),
        "claims": len(proved),
        "calls": answer["usage"]["llm_calls"],
        "tokens": answer["usage"]["input_tokens"],
        "seconds": time.perf_counter() - began,
    }


def by_plain_prompt(
    session: Session, query: dict[str, Any], said: list[dict[str, str]], given: Any
) -> dict[str, Any]:
    """Lengthens what was said by this question and its reply."""
    import openai

    began = time.perf_counter()
    hits = session.reader.search(query["text"], PLAIN_BEST)
    told = "\n\n".join(hit["text"] for hit in hits)
    asked = f"{told}\n\nQuestion: {query['text']}"
    with openai.OpenAI(base_url=given.server, api_key="none", timeout=1_500) as client:
        told_before = [{"role": "system", "content": PLAIN}, *said]
        reply = client.chat.completions.create(
            model=given.model,
            temperature=0,
            max_tokens=300,
            messages=[*told_before, {"role": "user", "content": asked}],
        )
    text = reply.choices[0].message.content or ""
    said += [{"role": "user", "content": query["text"]}, {"role": "assistant", "content": text}]
    refused = REFUSED.casefold() in text.casefold()
    right = refused if not query["answerable"] else holds_all(text, query)
    return {"right": right, "answer": text, "calls": 1, "seconds": time.perf_counter() - began}


def rows_of(session: Session, talks: Sequence[Any], given: Any) -> list[dict[str, Any]]:
    """A row for each turn that is judged. One way of asking goes through all before the other
    begins: a server that keeps the beginning of the last prompt has read it already.
    """
    keys = ("text", "answerable")
    rows = [[{key: query[key] for key in keys} for query in talk] for talk in talks]
    for talk, told_of in zip(talks, rows, strict=True):
        history: list[Any] = []
        for query, row in zip(talk, told_of, strict=True):
            row["crag"] = by_crag(session, query, history)
            print(json.dumps(row), flush=True)
    for talk, told_of in zip(talks, rows, strict=True) if given.plain else ():
        said: list[dict[str, str]] = []
        for query, row in zip(talk, told_of, strict=True):
            row["plain"] = by_plain_prompt(session, query, said, given)
            print(json.dumps({"text": row["text"], "plain": row["plain"]}), flush=True)
    return [row for told_of in rows for row in told_of if row["answerable"] is not None]


def told(name: str, rows: Sequence[dict[str, Any]]) -> str:
    """The sums of one way of asking: of what the documents hold, of what they do not, the cost."""
    done = [(row["answerable"], row[name]) for row in rows if name in row]
    parts = [name]
    for held, words in ((True, "answerable"), (False, "unanswerable")):
        right = [each["right"] for answerable, each in done if answerable is held]
        parts.append(f"{sum(right)} of {len(right)} {words}")
    seconds, calls = ([each[key] for _, each in done] for key in ("seconds", "calls"))
    parts.append(f"median {median(seconds):.1f} s, mean {mean(seconds):.1f} s")
    parts.append(f"{mean(calls):.2f} calls, {max(calls)} at most")
    return "; ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, nargs="+", required=True)
    parser.add_argument("--home", type=Path, help="kept, so that nothing is ingested twice")
    parser.add_argument("--server")
    parser.add_argument("--model", default="qwen")
    parser.add_argument("--plain", action="store_true", help="ask the plain prompt too")
    parser.add_argument("--talks", action="store_true", help="ask the conversations instead")
    parser.add_argument("--limit", type=int, help="questions of each source, drawn with seed 7")
    options = parser.parse_args()
    asked: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        home = options.home or Path(scratch)
        for source in [each for folder in options.docs for each in sources(folder)]:
            queries = list(source.queries)
            if options.limit:
                queries = random.Random(7).sample(queries, options.limit)
            with opened(source, home) as session:
                if options.server is None:
                    rows = [given(session, query) for query in queries if query["answerable"]]
                    for tokens in TOKENS:
                        held = sum(row[f"within {tokens}"] for row in rows)
                        middle = median(row[f"tokens of {tokens}"] for row in rows)
                        print(source.name, tokens, f"{held} of {len(rows)}", f"{middle:.0f} tokens")
                    continue
            asks = {"base_url": options.server, "model": options.model, "request_timeout": 1_500}
            settings = Settings(home=home, collection=source.name, **asks)
            with open_session(settings, keep_traces=False) as session:
                talks = talks_of(source) if options.talks else [[query] for query in queries]
                asked += rows_of(session, talks, options)
    for name in ("crag", "plain"):
        if any(name in row for row in asked):
            print(told(name, asked))


if __name__ == "__main__":
    main()
