"""The words that a file's reader gives, against the words that the file is known to hold.

    python tests/benchmarks/readers.py [--pages DIR...] [--files DIR] [--each]

Every Markdown page below the folders is read as it is and as written in five other formats
(`written_page.py`); what else a reader gives, such as menus, counts against precision. Of --files
each is read beside which its words lie as NAME.txt (report.docx, report.docx.txt). A row a
format: the means over its documents, of bags of words.
"""

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from written_page import WRITERS, page_of

from rag.documents.registry import open_document


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text.casefold()))


def written(folders: list[Path], scratch: Path) -> Iterator[tuple[Path, str]]:
    pages = sorted(path for folder in folders for path in folder.rglob("*.md"))
    for number, page in enumerate(pages):
        markdown = page.read_text(encoding="utf-8")
        yield page, page_of(markdown).text_content()
        for suffix, write in WRITERS.items():
            path = scratch / f"{number}-{page.stem}{suffix}"
            write(markdown, path)
            yield path, page_of(markdown).text_content()


def of_folder(folder: Path) -> Iterator[tuple[Path, str]]:
    for known in sorted(folder.rglob("*.*.txt")):
        yield known.with_suffix(""), known.read_text(encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    own = [Path("docs"), Path("sample_corpus")]
    parser.add_argument("--pages", type=Path, nargs="*", default=own)
    parser.add_argument("--files", type=Path)
    parser.add_argument("--each", action="store_true", help="a row a document, too")
    given = parser.parse_args()
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        files = of_folder(given.files) if given.files else written(given.pages, Path(scratch))
        for path, text in files:
            with open_document(path) as reading:
                read = words("".join(part.text for part in reading.parts))
            known = words(text)
            common = (known & read).total()
            row = common / known.total(), common / max(read.total(), 1)
            rows[path.suffix].append(row)
            if given.each:
                print(f"{path.name:32} recall {row[0]:.3f}, precision {row[1]:.3f}")
    for suffix, each in rows.items():
        recall, precision = map(mean, zip(*each, strict=True))
        print(f"{suffix:6} {len(each):4} documents: recall {recall:.3f}, precision {precision:.3f}")


if __name__ == "__main__":
    main()
