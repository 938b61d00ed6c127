"""Questions of several parts: which of them does a report state, and which does it call open?

    python tests/benchmarks/research_parts.py PARTS.jsonl --data DIR [--home DIR] [--only ID...]

A line: {"id", "source": a folder of DIR with files/, "text", "parts": [{"part", "answers": any of
these is right, none where the documents do not say, "where": the line that says it}]}. With a model
where the settings name one (CRAG_MODEL, OPENAI_BASE_URL). A part is stated where the answer or a
section holds one of its strings, and falsely open where a line of "Not found in the documents" has
most of its own words; of what the documents do not say such a line is right.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.research.report import Report
from rag.research.run import Research
from state.settings import load_settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="kept, so that nothing is ingested twice")
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for line in given.parts.read_text(encoding="utf-8").splitlines():
            asked = json.loads(line)
            if given.only and asked["id"] not in given.only:
                continue
            report = researched(asked, given.data, given.home or Path(scratch))
            outcomes = {part["part"]: outcome(part, report) for part in asked["parts"]}
            totals.update(outcomes.values())
            usage = report["usage"]
            spent = usage["input_tokens"] + usage["output_tokens"]
            words = len(report["answer"].split())
            print(f"{asked['id']} {report['status']}: {usage['llm_calls']} calls, {spent} tokens,")
            print(f"   {report['seconds']:.0f} s, answer {words} words,", end=" ")
            print(f"{len(report['report'])} characters, {report['report'].count('(no quote')} bare")
            for part, told in outcomes.items():
                print(f"   {told:13} {part}")
    print(", ".join(f"{count} {told}" for told, count in totals.most_common()))


def researched(asked: dict[str, Any], data: Path, home: Path) -> Report:
    folder = data / asked["source"]
    settings = load_settings({"home": home, "collection": folder.name})
    ingest(settings, build_embedder(settings), [str(folder / "files")])
    with Research(settings) as run:
        return run.start(asked["text"])


def outcome(part: dict[str, Any], report: Report) -> str:
    """stated, falsely open, missed; of what is in no document named or unnamed."""
    told = plain(" ".join([report["answer"], *(s["text"] for s in report["sections"])]))
    own = content(part["part"])
    named = any(len(own & content(line)) * 2 > len(own) for line in report["not_found"])
    if not part["answers"]:
        return "named" if named else "unnamed"
    if any(plain(answer) in told for answer in part["answers"]):
        return "stated, open" if named else "stated"
    return "falsely open" if named else "missed"


def plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`]", "", text).casefold().split())


def content(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w-]{4,}", text.casefold()) if word not in _COMMON}


_COMMON = {"what", "when", "which", "does", "happens", "often", "many", "that", "with", "from"}

if __name__ == "__main__":
    main()
