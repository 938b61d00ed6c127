"""The same forty questions in several languages, on the same sixty paragraphs in each.

    python tests/benchmarks/languages.py [LANGUAGE ...] [--together] [--beside FOLDER]
        [--english] [--keywords] [--show first|last]

`languages/LANGUAGE.txt` holds paragraphs of ten matters, a file each, and after `?` what is asked
of the one above and what the answer holds. A question has its words in other forms than the
paragraph (a plural for a singular, another tense), and every matter has a paragraph of question
words beside. Best, found: the paragraph is the first, or among the first three, that a search
finds. Right: the answer's first citation is of it and holds what it should. The first half, of
five matters, was looked at while the stemming was made, the last was not. With --together all
languages are one collection; --beside puts other files with them; --english reads every question
as English; --keywords asks without function words, by which no question shows its language;
--show prints the questions of a half that were not answered rightly.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rag.index.language import ENGLISH, in_language, language_of, lexicon, unaccented
from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session
from state.settings import Settings

TEXTS = Path(__file__).with_name("languages")
LOOKED_AT = 5
FIRST = 3


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    wanted: str
    source: str
    half: str


def write_files(path: Path, folder: Path) -> Iterator[Asked]:
    """A file a paragraph; gives what is asked of them."""
    matters = 0
    title = source = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("# "):
            title = line[2:]
            matters += 1
        elif line.startswith("? "):
            question, _, wanted = line[2:].rpartition(" = ")
            yield Asked(question, wanted, source, "first" if matters <= LOOKED_AT else "last")
        else:
            source = f"{title}-{path.stem}-{number}.txt"
            (folder / source).write_text(line + "\n", encoding="utf-8")


def keywords(asked: Asked) -> Asked:
    language = language_of(asked.question)
    idle = lexicon(language or ENGLISH)
    said = re.findall(r"\w+", asked.question)
    kept = " ".join(word for word in said if unaccented(word.casefold()) not in idle)
    return replace(asked, question=kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*")
    parser.add_argument("--show", choices=["first", "last"])
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--english", action="store_true")
    parser.add_argument("--keywords", action="store_true")
    options = parser.parse_args()
    beside = [str(options.beside)] if options.beside else []
    texts = sorted(TEXTS.glob("*.txt"))
    for path in texts:
        if options.languages and path.stem not in options.languages:
            continue
        with TemporaryDirectory() as name:
            folder = Path(name) / "files"
            folder.mkdir()
            asked: list[Asked] = []
            for other in texts if options.together else [path]:
                read = list(write_files(other, folder))
                asked += read if other == path else []
            settings = Settings(home=Path(name) / "home", engine="local")
            ingest(settings, build_embedder(settings), [str(folder), *beside])
            counts: Counter[str] = Counter()
            read_as = in_language(ENGLISH) if options.english else nullcontext()
            with read_as, open_session(settings, keep_traces=False) as session:
                for each in map(keywords, asked) if options.keywords else asked:
                    hits = session.reader.search(each.question, FIRST)
                    found = [Path(hit["source"]).name for hit in hits]
                    answer = session.ask(each.question)
                    first = answer["citations"][:1]
                    right = any(
                        Path(cited["source"]).name == each.source
                        and each.wanted.casefold() in cited["quote"].casefold()
                        for cited in first
                    )
                    counts[f"{each.half} asked"] += 1
                    counts[f"{each.half} best"] += found[:1] == [each.source]
                    counts[f"{each.half} found"] += each.source in found
                    counts[f"{each.half} right"] += right
                    counts[f"{each.half} refused"] += answer["status"] == "abstained"
                    if options.show == each.half and not right:
                        place = found.index(each.source) + 1 if each.source in found else "-"
                        print(f"{each.question} = {each.wanted} ({place}): {first}")
        for half in ("first", "last"):
            told = ("best", "found", "right", "refused")
            print(
                f"{path.stem}, {half} half: of {counts[f'{half} asked']} questions "
                + ", ".join(f"{counts[f'{half} {each}']} {each}" for each in told),
                flush=True,
            )


if __name__ == "__main__":
    main()
