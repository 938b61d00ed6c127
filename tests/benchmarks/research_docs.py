"""Two questions asked as one: are both answered from the right file, or named as not found?

    python tests/benchmarks/research_docs.py --docs DIR [--drawn N] [--home DIR]

DIR is a set of `real_docs`. The eight below were joined before anything was measured; `--drawn N`
joins N more of each source at random, which nobody chose. A half is right if the section of its
own holds an expected string and cites a right file; one that the documents do not answer, if it
is named among what could not be found.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from real_docs import Source, holds, is_of, sources

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.research.report import Report
from rag.research.run import Research
from state.settings import Settings

EIGHT = (
    ("ot-01", "ot-18"),
    ("ot-07", "ot-30"),
    ("rf-06", "rf-09"),
    ("rf-16", "rf-28"),
    ("rb-17", "rb-16"),
    ("rb-18", "rb-28"),
    ("su-07", "su-10"),
    ("su-12", "su-28"),
)
Half = dict[str, Any]
Outcome = Literal["right", "wrong", "named", "unnamed", "shown", "refused"]
"""`named`: absent and said so; `unnamed`: absent and answered; `refused`: answerable and said to
be not found, `shown` where what is nearest to it is right.
"""
SHOWN = 600
"""Characters of a section that count."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--drawn", type=int, default=0, help="more of each source, at random")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--show", action="store_true", help="the reports that are not right")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = list(_outcomes(wanted, wanted.home or Path(folder)))
    halves = Counter(outcome for pair in outcomes for outcome in pair)
    strict = sum(all(o in ("right", "named", "shown") for o in pair) for pair in outcomes)
    fair = sum(all(o not in ("wrong", "unnamed") for o in pair) for pair in outcomes)
    print(f"{len(outcomes)} questions of two parts")
    print(f"both parts right, or absent and named so: {strict}")
    print(f"the same, or answerable but named as not found: {fair}")
    print(", ".join(f"{count} {outcome}" for outcome, count in halves.most_common()))


def _outcomes(wanted: argparse.Namespace, home: Path) -> Iterator[tuple[Outcome, Outcome]]:
    for source in sources(wanted.docs):
        settings = Settings(home=home, collection=source.name, engine="local")
        ingest(settings, build_embedder(settings), [str(source.folder / "files")])
        with Research(settings) as run:
            for number, (one, other) in enumerate(_pairs(source, wanted.drawn)):
                report = run.start(joined(one, other, sentences=number % 2 == 1))
                pair = outcome_of(one, report), outcome_of(other, report)
                print(source.name, one["id"], other["id"], *pair)
                if wanted.show and not set(pair) <= {"right", "named"}:
                    print(report["report"])
                yield pair


def _pairs(source: Source, drawn: int) -> Iterable[tuple[Half, Half]]:
    by_id = {query["id"]: query for query in source.queries}
    yield from ((by_id[one], by_id[other]) for one, other in EIGHT if one in by_id)
    asked = [q for q in source.queries if q["text"].endswith("?") and ". " not in q["text"]]
    chance = random.Random(7)
    for _ in range(drawn):
        one, other = chance.sample(asked, 2)
        yield one, other


def joined(one: Half, other: Half, *, sentences: bool) -> str:
    """As two sentences, or with "and"."""
    if sentences:
        return f"{one['text']} {other['text']}"
    return f"{one['text'].rstrip('?')}, and {other['text'][0].lower()}{other['text'][1:]}"


def outcome_of(half: Half, report: Report) -> Outcome:
    told = [section for section in report["sections"] if _same(section["asked"], half)]
    missing = any(_same(asked, half) for asked in report["not_found"])
    if not half["answerable"]:
        return "named" if missing else "unnamed"
    if missing:
        near = _near(half, report)
        held = any(holds(line, half) and is_of(line.partition(":")[0], half) for line in near)
        return "shown" if held else "refused"
    cited = _cited(" ".join(section["text"] for section in told), report)
    right = any(holds(section["text"][:SHOWN], half) for section in told)
    return "right" if right and any(is_of(path, half) for path in cited) else "wrong"


def _near(half: Half, report: Report) -> Sequence[str]:
    """What is given as nearest to a part that was not found."""
    _, _, below = report["report"].partition("## Not found in the documents")
    parts = re.split(r"^- ", below.partition("## Sources")[0], flags=re.MULTILINE)
    own = [part for part in parts if _same(part.partition("\n")[0], half)]
    return [line for part in own for line in re.findall(r"^  - nearest: (.*)$", part, re.MULTILINE)]


def _cited(text: str, report: Report) -> Sequence[str]:
    return [c["source"] for c in report["citations"] if f"[{c['marker']}]" in text]


def _same(title: str, half: Half) -> bool:
    return _plain(title) == _plain(half["text"])


def _plain(text: str) -> str:
    return text.casefold().strip(" ?.")


if __name__ == "__main__":
    main()
