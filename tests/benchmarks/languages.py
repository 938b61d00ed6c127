"""The same thirty questions in several languages, on the same six documents in each.

    python tests/benchmarks/languages.py [--together] [--beside FOLDER] [--show]

`languages/LANGUAGE.txt` holds a document under each `#`, then its questions with what the answer
holds. A paragraph is a file, so that the right one must be found. Right: the answer's first cited
quote holds it. With --together all languages are one collection; --beside puts other files with
them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session
from state.settings import Settings


def write_files(path: Path, folder: Path) -> list[tuple[str, str]]:
    """A file a paragraph; returns the questions with what their answers hold."""
    questions: list[tuple[str, str]] = []
    title = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("# "):
            title = line[2:]
        elif line.startswith("? "):
            question, _, answer = line[2:].rpartition(" = ")
            questions.append((question, answer))
        else:
            (folder / f"{title}-{number}.txt").write_text(line + "\n", encoding="utf-8")
    return questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    show, beside = options.show, [str(options.beside)] if options.beside else []
    for path in sorted(Path(__file__).with_name("languages").glob("*.txt")):
        questions: list[tuple[str, str]] = []
        with TemporaryDirectory() as name:
            folder = Path(name) / "files"
            folder.mkdir()
            for other in sorted(path.parent.glob("*.txt")):
                asked = write_files(other, folder) if options.together or other == path else []
                questions += asked if other == path else []
            settings = Settings(home=Path(name) / "home", engine="local")
            ingest(settings, build_embedder(settings), [str(folder), *beside])
            right = refused = 0
            with open_session(settings, keep_traces=False) as session:
                for question, wanted in questions:
                    answer = session.ask(question)
                    first = answer["citations"][:1]
                    held = any(wanted.casefold() in each["quote"].casefold() for each in first)
                    right += held
                    refused += answer["status"] == "abstained"
                    if show and not held:
                        print(f"{question} = {wanted}: {[each['quote'] for each in first]}")
        print(f"{path.stem}: {right} of {len(questions)} right, {refused} refused", flush=True)


if __name__ == "__main__":
    main()
