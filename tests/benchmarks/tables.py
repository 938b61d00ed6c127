"""Questions for cells of tables: is the right row cited, with the value in it?

    python tests/benchmarks/tables.py --data DATA [--part build|report] [--show]

DATA holds `messy_mini` (its workbooks and tables) and `real_docs` (its Markdown tables);
`table_files.py` adds tables of facts. Half of the questions are for building, half for reporting.
Right: a citation's quote holds the row's own words and the value, and its passage the header.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from table_files import write_tables

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session
from state.settings import Settings

_TAKEN = (
    "messy_mini/files/unstructured/stanley-cups.tsv",
    "messy_mini/files/unstructured/2023-half-year-analyses-by-segment.xlsx",
    "messy_mini/files/docling/xls/sources/legacy_sample.xls",
    "real_docs/otel/files/content/en/docs/collector",
    "real_docs/rust_book/files/src",
)


def collect(data: Path, folder: Path) -> None:
    write_tables(folder)
    for name in _TAKEN:
        path = data / name
        if path.is_dir():
            shutil.copytree(path, folder / path.parent.name / path.name)
        else:
            shutil.copy(path, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=("build", "report"))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    listed = Path(__file__).with_name("table_questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in listed]
    with TemporaryDirectory() as name:
        folder = Path(name) / "files"
        folder.mkdir()
        collect(options.data, folder)
        settings = Settings(home=Path(name) / "home", engine="local")
        ingest(settings, build_embedder(settings), [str(folder)])
        with open_session(settings, keep_traces=False) as session:
            for part in (options.part,) if options.part else ("build", "report"):
                first = shown = 0
                asked = [each for each in questions if each["part"] == part]
                for query in asked:
                    answer = session.ask(query["text"])
                    quotes = [citation["quote"] for citation in answer["citations"]]
                    right = [query["row"] in q and query["value"] in q for q in quotes]
                    first += right[:1] == [True]
                    shown += any(right)
                    if options.show and right[:1] != [True]:
                        cited = answer["citations"][:1]
                        where = cited[0]["source"] if cited else answer["status"]
                        print(f"{any(right)!s:5} {query['text']}\n      {where}: {quotes[:1]}")
                print(f"{part}: {first} of {len(asked)} cited first, {shown} among those cited")


if __name__ == "__main__":
    main()
