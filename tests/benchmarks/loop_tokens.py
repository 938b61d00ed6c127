"""Tokens that a model processes in a loop of corrections, as it is, and if all were accumulated.

    python tests/benchmarks/loop_tokens.py [--loops 10]

The real graph over a folder of 240 pages, with a scripted model that grades every document false
and always knows another query, so that every loop is made. A call's base are its instructions and
its question; what it adds are the documents, the attempts and its reply. As the state overwrites
its scratch work, a call processes its base and what it adds; where messages are accumulated, as
`add_messages` does, also what all calls before it added.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from ingest_runs import home_of
from openai_samples import settings_for
from scripted_server import ScriptedServer, call, shape_asked, text

from rag.session import open_session
from state.tokens import count_tokens

PAGES, SENTENCES = 240, 12
QUESTION = "When was the ferry of Halden taken out of service?"


@dataclass(frozen=True, slots=True)
class Call:
    """In tokens."""

    base: int
    adds: int


def processed(calls: Sequence[Call], *, accumulated: bool) -> list[int]:
    """Tokens of each call, read and written."""
    costs, before = [], 0
    for each in calls:
        costs.append(each.base + each.adds + before)
        before += each.adds if accumulated else 0
    return costs


def corrected(folder: Path, loops: int) -> list[list[Call]]:
    """The calls of each loop of a question that is corrected `loops` times; the first list are
    those before a correction.
    """
    sails = "The ferry {0}x{1} of harbour {0} sails at {1}."
    said = [" ".join(sails.format(page, n) for n in range(SENTENCES)) for page in range(PAGES)]
    pages = {f"{page}.md": f"# Harbour {page}\n\n{text}" for page, text in enumerate(said)}
    found: list[list[Call]] = [[]]

    def reply(body: Any) -> Any:
        (_, system), (_, prompt) = [(m["role"], m["content"]) for m in body["messages"]]
        if "Tried:" in prompt:
            found.append([])
            said: Any = {"queries": [f"ferry of harbour {10 * len(found)}"]}
        elif names := re.findall(r"document_\d+", str(shape_asked(body))):
            said = {name: {"holds": False, "reason": "another harbour"} for name in names}
        else:
            said = "I cannot answer this from the documents."
        base = count_tokens(system) + count_tokens(QUESTION)
        whole = count_tokens(system) + count_tokens(prompt) + count_tokens(str(said))
        found[-1].append(Call(base, whole - base))
        return (text if isinstance(said, str) else call)(said)(body)

    home = home_of(folder, pages)
    with ScriptedServer(always=reply) as server:
        settings = settings_for(server, home=home, grader="model", max_loops=loops)
        with open_session(settings, keep_traces=False) as session:
            answer = session.ask(QUESTION)
    if answer["loop_count"] != loops:
        raise SystemExit(f"{answer['loop_count']} loops were made, not {loops}.")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loops", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        loops = corrected(Path(folder), options.loops)
    calls = [each for loop in loops for each in loop]
    for number, loop in enumerate(loops):
        print(number, f"{len(loop)} calls", sum(processed(loop, accumulated=False)), "tokens")
    for accumulated, words in ((False, "overwritten"), (True, "accumulated")):
        print(words, sum(processed(calls, accumulated=accumulated)), "tokens")


if __name__ == "__main__":
    main()
