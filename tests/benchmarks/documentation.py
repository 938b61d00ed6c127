"""What the local engine answers over real documentation that it was not fitted on.

    python tests/benchmarks/documentation.py --docs DIR [--as-shipped] [--show]

DIR holds sources, each with `files/` and `queries.jsonl`. The grader and the ranking are fitted
on the other sources (and on the sets of --data, where given) before each source is asked, unless
--as-shipped. Right: an expected string stands in the answer, and a file that holds it is cited.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from fit_grader import fit as fit_grader
from fit_grader import labelled_sets
from fit_ranking import Asked, measured
from fit_ranking import fit as fit_ranking
from grader_rows import cached_rows
from real_docs import Source, holds, is_of, one_line, opened, sources

from rag.engines.local.grader_model import model_from
from rag.session import Session
from state.answer import Answer


def told(answer: Answer, query: dict[str, Any]) -> bool:
    cited = any(is_of(citation["source"], query) for citation in answer["citations"])
    return cited and holds(answer["answer"], query)


def stands(session: Session, answer: Answer) -> bool:
    """Whether every quote and passage stands in its file, and every word shown in a passage."""
    passages = ""
    for citation in answer["citations"]:
        text = session.reader.document_text(citation["source"]) or ""
        passages += f" {citation['passage']}"
        if text[citation["start_char"] : citation["end_char"]] != citation["quote"]:
            return False
        if not all(line in text for line in citation["passage"].splitlines()):
            return False
    shown = " ".join(claim["text"] for claim in answer["claims"])
    # The marks of a quoted paragraph's lines and tags are not shown, a note's sign is no marker.
    plain = re.sub(r"(?m)^\s*>+|</?\w[^<>]*>", " ", re.sub(r"\[(\d+)\]", r"(\1)", passages))
    return bool(shown) and set(shown.split()) <= {*passages.split(), *plain.split()}


def asked(source: Source, session: Session, *, show: bool) -> Counter[str]:
    count: Counter[str] = Counter()
    for query in source.queries:
        began = time.process_time()
        answer = session.ask(query["text"])
        count["ms"] += round((time.process_time() - began) * 1000)
        count["characters"] += len(one_line(answer["answer"]))
        refused = answer["status"] == "abstained"
        if query["answerable"]:
            right = told(answer, query)
            count["answerable"] += 1
            count["right"] += right
            count["refused"] += refused
            count["unfaithful"] += not refused and not stands(session, answer)
            if show and not right:
                print(f"  {query['id']} {answer['status']}: {query['text']} ({query['where']})")
        else:
            count[query["kind"]] += 1
            count[f"{query['kind']} refused"] += refused
    return count


@contextmanager
def fitted_without(source: Source, rows: list[Any], rankings: list[Asked]) -> Iterator[None]:
    grader = model_from(fit_grader([row for row in rows if row.set_name != source.name]))
    weights = fit_ranking([each for each in rankings if each.source != source.name])
    with (
        patch("rag.engines.local.grade.grader_model", lambda: grader),
        patch("rag.engines.local.answer.grader_model", lambda: grader),
        patch("rag.evidence.ranking.ranking_weights", lambda: weights),
    ):
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--as-shipped", action="store_true")
    parser.add_argument("--show", action="store_true", help="name the questions not answered")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--sets", nargs="+", default=())
    given = parser.parse_args()
    every, total = sources(given.docs), Counter[str]()
    with TemporaryDirectory() as home:
        rows: list[Any] = []
        rankings: list[Asked] = []
        if not given.as_shipped:
            rows = cached_rows(labelled_sets(given), given.seed, given.questions, given.cache)
            for source in every:
                with opened(source, Path(home)) as session:
                    rankings += measured(source, session)
        for source in every:
            with opened(source, Path(home)) as session:
                if given.as_shipped:
                    count = asked(source, session, show=given.show)
                else:
                    with fitted_without(source, rows, rankings):
                        count = asked(source, session, show=given.show)
            print(source.name, dict(count), flush=True)
            total += count
    print("all", dict(total))


if __name__ == "__main__":
    main()
