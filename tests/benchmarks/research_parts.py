"""Questions of several parts: which of them does a report state, and which does it call open?

    python tests/benchmarks/research_parts.py PARTS.jsonl --data DIR [--home DIR] [--only ID...]
    python tests/benchmarks/research_parts.py --data DIR --drawn N

A line: {"id", "source": a folder of DIR with files/, "text", "parts": [{"part", "answers": any of
these is right, none where the documents do not say, "where": the line that says it}]}. With a model
where the settings name one (CRAG_MODEL, OPENAI_BASE_URL). A part is stated where the answer or a
section holds one of its strings, and falsely open where a line of "Not found in the documents" has
most of its own words; of what the documents do not say such a line is right.

With --drawn two questions of DIR, a set of `real_docs`, are asked as one, without a model: EIGHT,
joined before anything was measured, and N more of each source at random. There a part is stated
within the first SHOWN characters of a section, and shown where it is right among the nearest.
"""

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from real_docs import json_lines, sources
from shown import plain

from rag.ingest.sync import ingest
from rag.research.report import Report
from rag.research.run import Research
from state.settings import load_settings

EIGHT = "ot-01 ot-18, ot-07 ot-30, rf-06 rf-09, rf-16 rf-28, rb-17 rb-16, rb-18 rb-28"
EIGHT += ", su-07 su-10, su-12 su-28"
SHOWN = 600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", type=Path, nargs="?")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--drawn", type=int, default=0, help="questions joined of two, at random")
    parser.add_argument("--home", type=Path, help="kept, so that nothing is ingested twice")
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    totals: Counter[str] = Counter()
    honest = well = count = 0
    rows = joined(given.data, given.drawn) if given.parts is None else json_lines(given.parts)
    shown = SHOWN if given.parts is None else None
    with tempfile.TemporaryDirectory() as scratch:
        for asked in rows:
            if given.only and asked["id"] not in given.only:
                continue
            report = researched(asked, given.data, given.home or Path(scratch))
            outcomes = {part["part"]: outcome(part, report, shown) for part in asked["parts"]}
            totals.update(outcomes.values())
            count += 1
            wrong = set(outcomes.values()) - {"stated", "shown", "named"}
            well += not wrong
            honest += wrong <= {"falsely open", "stated, open"}
            usage = report["usage"]
            spent = usage["input_tokens"] + usage["output_tokens"]
            words = len(report["answer"].split())
            print(f"{asked['id']} {report['status']}: {usage['llm_calls']} calls, {spent} tokens,")
            print(f"   {report['seconds']:.0f} s, answer {words} words,", end=" ")
            print(f"{len(report['report'])} characters, {report['report'].count('(no quote')} bare")
            for part, told in outcomes.items():
                print(f"   {told:13} {part}")
    print(", ".join(f"{count} {told}" for told, count in totals.most_common()))
    print(f"all parts right, or absent and named so: {well} of {count}")
    print(f"all parts right, or named as not found, though some are there: {honest} of {count}")


def joined(data: Path, drawn: int) -> Iterator[dict[str, Any]]:
    """As two sentences and with "and", in turn."""
    for source in sources(data):
        known = {query["id"]: query for query in source.queries}
        chosen = [pair.split() for pair in EIGHT.split(", ")]
        pairs = [(known[one], known[other]) for one, other in chosen if one in known]
        asked = [q for q in source.queries if q["text"].endswith("?") and ". " not in q["text"]]
        chance = random.Random(7)
        pairs += [chance.sample(asked, 2) for _ in range(drawn)]
        for number, (one, other) in enumerate(pairs):
            behind = f", and {other['text'][0].lower()}{other['text'][1:]}"
            text = f"{one['text']} {other['text']}" if number % 2 else one["text"][:-1] + behind
            halves = [
                {"part": half["text"], "answers": half["answers"] if half["answerable"] else []}
                for half in (one, other)
            ]
            name = f"{one['id']} {other['id']}"
            yield {"id": name, "source": source.name, "text": text, "parts": halves}


def researched(asked: dict[str, Any], data: Path, home: Path) -> Report:
    folder = data / asked["source"]
    settings = load_settings({"home": home, "collection": folder.name})
    ingest(settings, [str(folder / "files")])
    with Research(settings) as run:
        return run.start(asked["text"])


def outcome(part: dict[str, Any], report: Report, shown: int | None = None) -> str:
    """stated, falsely open, missed; of what is in no document named or unnamed."""
    sections = [section["text"][:shown] for section in report["sections"]]
    told = plain(" ".join([report["answer"][:shown], *sections]))
    own = content(part["part"])
    named = any(len(own & content(line)) * 2 > len(own) for line in report["not_found"])
    if not part["answers"]:
        return "named" if named else "unnamed"
    if any(plain(answer) in told for answer in part["answers"]):
        return "stated, open" if named else "stated"
    _, _, below = report["report"].partition("## Not found in the documents")
    near = plain(below.partition("\n## ")[0])
    if named and shown and any(plain(answer) in near for answer in part["answers"]):
        return "shown"
    return "falsely open" if named else "missed"


def content(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w-]{4,}", text.casefold()) if word not in _COMMON}


_COMMON = {"what", "when", "which", "does", "happens", "often", "many", "that", "with", "from"}

if __name__ == "__main__":
    main()
