"""How many words of scanned pages are found, and what a page costs.

python tests/benchmarks/scans.py DATA [--pages N]   DATA: a folder of files, such as messy_mini

There is a text to compare with: pages of PDFs with a text layer, and the texts of other documents
set in three typefaces, are drawn at 200 dots an inch, turned by up to half a degree, made noisy and
saved as JPEG in a PDF that has no text. What the reader reads off that is held against the text,
each word as often as it stands there. `PDF.words.txt` beside a scanned PDF, typed by hand, is its
truth.
"""

from __future__ import annotations

import argparse
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
from fpdf import FPDF
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from whole_document import read_document

from rag.documents.limits import Limits
from state.errors import DocumentError

LEAST_WORDS = 50
A_DOCUMENT = 2
A_PAGE = 2500  # characters
TYPEFACES = ("Helvetica", "Times", "Courier")


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text.casefold()))


def printed(folder: Path, work: Path) -> Iterator[tuple[str, Path, int, str]]:
    """Name, PDF, page from 0 and text of pages to scan."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".pdf":
            yield from _with_text_layer(path)
        elif path.suffix in {".md", ".html", ".docx", ".txt", ".odt", ".rst", ".rtf", ".pptx"}:
            yield from _set(path, work)


def _with_text_layer(path: Path) -> Iterator[tuple[str, Path, int, str]]:
    try:
        document = pdfium.PdfDocument(path)
        texts = [
            document[number].get_textpage().get_text_bounded()
            for number in range(min(len(document), A_DOCUMENT))
        ]
    except pdfium.PdfiumError:  # locked or damaged
        return
    for number, text in enumerate(texts):
        if sum(words(text).values()) >= LEAST_WORDS:
            yield f"{path.name} p. {number + 1}", path, number, text


def _set(path: Path, work: Path) -> Iterator[tuple[str, Path, int, str]]:
    try:
        text = read_document(path, path.name).text
    except DocumentError:
        return
    shown = text.encode("latin-1", "ignore").decode("latin-1")
    shown = re.sub(r"\S{40,}", "", shown)  # links and hashes: no words
    shown = " ".join(shown.split())  # a page's worth is a page
    for number in range(A_DOCUMENT):
        page = shown[number * A_PAGE : (number + 1) * A_PAGE]
        if sum(words(page).values()) < LEAST_WORDS:
            return
        sheet = FPDF(format="A4")
        sheet.add_page()
        typeface = TYPEFACES[(len(path.name) + number) % len(TYPEFACES)]
        sheet.set_font(typeface, size=9 if typeface == "Courier" else 11)
        sheet.multi_cell(0, 4.6, page)
        made = work / f"{path.name}-{number}.pdf"
        sheet.output(str(made))
        yield f"{path.name} set in {typeface}", made, 0, page


def scan(pdf: Path, number: int, into: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    page = pdfium.PdfDocument(pdf)[number].render(scale=200 / 72).to_pil().convert("L")
    page = page.rotate(rng.uniform(-0.5, 0.5), fillcolor=255, resample=Image.Resampling.BICUBIC)
    noisy = np.asarray(page, dtype=np.float32) + rng.normal(0, 8, (page.height, page.width))
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(into, quality=60, resolution=200)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    options = parser.parse_args()
    shares, seconds = [], []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        pages = list(printed(options.data, work))
        step = max(len(pages) // options.pages, 1)
        todo = []
        for seed, (name, pdf, number, text) in enumerate(pages[::step][: options.pages]):
            scan(pdf, number, work / f"scan-{seed}.pdf", seed)
            todo.append((name, work / f"scan-{seed}.pdf", text))
        todo += [
            (truth.name, truth.with_name(truth.name.removesuffix(".words.txt")), truth.read_text())
            for truth in sorted(options.data.rglob("*.words.txt"))
        ]
        for name, path, text in todo:
            began = time.process_time()
            document = read_document(path, name, Limits(recognition_seconds=1000))
            seconds.append(time.process_time() - began)
            wanted = words(text)
            shares.append((wanted & words(document.text)).total() / wanted.total())
            sure = document.recognized[0][1] if document.recognized else 0
            print(f"{shares[-1]:.3f} found, {sure} % sure, {seconds[-1]:4.1f} s  {name}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{len(shares)} pages: {np.mean(shares):.3f} of the words found, worst {min(shares):.3f}")
    print(f"{np.median(seconds):.1f} CPU seconds a page (median), {peak} MiB at most")


if __name__ == "__main__":
    main()
