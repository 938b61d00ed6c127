"""Memory and time of `crag ingest` on one large file: logs of several sizes, a PDF of many pages.

    python tests/benchmarks/large_files.py [--megabytes 25 100 500] [--pages 300 3000]

Each file is made, ingested by a process of its own and asked for its last line. The memory is
the largest number of resident pages of the process, of its reading children together, and of
the child that writes Chroma, looked at twenty times a second. What should hold: the first two do
not grow with the file. Chroma keeps every vector of a collection in memory while it is written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = """request worker queue retry timeout socket buffer cache shard replica leader commit offset
    segment index token session cursor batch stream packet gateway tenant quota lease lock
    """.split()  # noqa: SIM905
MIB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, nargs="*", default=[25, 100, 500])
    parser.add_argument("--pages", type=int, nargs="*", default=[300, 3000])
    parser.add_argument("--work", type=Path, help="where to put the files; a temporary folder")
    given = parser.parse_args()
    for megabytes in given.megabytes:
        with tempfile.TemporaryDirectory(dir=given.work) as name:
            path = Path(name) / "docs" / "service.log"
            path.parent.mkdir()
            write_log(path, megabytes * MIB)
            measure(f"log of {megabytes} MB", path, Path(name))
    for pages in given.pages:
        with tempfile.TemporaryDirectory(dir=given.work) as name:
            path = Path(name) / "docs" / "manual.pdf"
            path.parent.mkdir()
            write_pdf(path, pages)
            measure(f"PDF of {pages} pages ({path.stat().st_size / MIB:.1f} MB)", path, Path(name))


def measure(what: str, path: Path, work: Path) -> None:
    home = ["--home", str(work / "home")]
    report, peaks, seconds = watched(["ingest", str(path.parent), "--json", "--quiet", *home])
    assert not report["failed"], report["failed"]
    found, asked, _ = watched(["search", "the very last mark", "--k", "3", "--json", *home])
    assert any("very last mark" in result["text"] for result in found["results"]), found
    size = sum(file.lstat().st_blocks * 512 for file in (work / "home").rglob("*"))
    print(
        f"{what}: {report['chunks']} chunks in {seconds:.1f} s, at most"
        f" {peaks['program'] / MIB:.0f} MB resident, {peaks['readers'] / MIB:.0f} MB its readers,"
        f" {peaks['vectors'] / MIB:.0f} MB its vectors, {peaks['all'] / MIB:.0f} MB all at once;"
        f" a search: {asked['all'] / MIB:.0f} MB; {size / MIB:.0f} MB on disk",
        flush=True,
    )


def watched(arguments: list[str]) -> tuple[dict[str, list[dict[str, str]]], Counter[str], float]:
    """What the command printed, the peaks of its tree's resident bytes, its seconds."""
    command = [sys.executable, "-m", "cli", *arguments]
    began = time.perf_counter()
    peaks: Counter[str] = Counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, cwd=ROOT)
        while process.poll() is None:
            now: Counter[str] = Counter()
            for member in tree(process.pid):
                if (part := role(member, process.pid)) is not None:
                    now[part] += resident(member)
            now["all"] = now.total()
            peaks |= now
            time.sleep(0.05)
        seconds = time.perf_counter() - began
        assert process.returncode == 0, process.returncode
        output.seek(0)
        return json.loads(output.read()), peaks, seconds


def role(process: int, root: int) -> str | None:
    """None while a child is still the copy of its parent."""
    if process == root:
        return "program"
    try:
        line = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return None
    if b"rag.index.feeder" in line:
        return "vectors"
    return "readers" if b"ingest.read_file" in line else None


def tree(root: int) -> Iterator[int]:
    yield root
    try:
        for task in Path(f"/proc/{root}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from tree(int(child))
    except OSError:
        return  # it has ended meanwhile


def resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE")


def lines(seed: int) -> Iterator[str]:
    dice = random.Random(seed)
    number = 0
    while True:
        number += 1
        words = " ".join(dice.choices(WORDS, k=9))
        yield f"2026-03-{number % 28 + 1:02} 12:{number % 60:02} [{number:08}] INFO {words}"


def write_log(path: Path, size: int) -> None:
    last = "2026-03-29 00:00 ERROR this is the very last mark\n"
    written = 0
    with path.open("w") as file:
        for line in lines(1):
            written += file.write(line + "\n")
            if written > size - len(last):
                break
        file.write(last)


def write_pdf(path: Path, pages: int) -> None:
    """Forty lines a page, without compression, as simple as a PDF can be."""
    text = lines(2)
    offsets: list[int] = []
    with path.open("wb") as file:
        file.write(b"%PDF-1.4\n")

        def put(body: bytes) -> None:
            offsets.append(file.tell())
            file.write(b"%d 0 obj\n%b\nendobj\n" % (len(offsets), body))

        kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(pages))
        put(b"<< /Type /Catalog /Pages 2 0 R >>")
        put(b"<< /Type /Pages /Count %d /Kids [%b] >>" % (pages, kids))
        put(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        for page in range(1, pages + 1):
            shown = [next(text) for _ in range(40)]
            if page == pages:
                shown.append("this is the very last mark")
            drawn = "".join(f"({line}) Tj 0 -14 Td\n" for line in shown)
            stream = f"BT /F1 9 Tf 40 780 Td\n{drawn}ET".encode()
            put(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
                b" /Resources << /Font << /F1 3 0 R >> >> >>" % (len(offsets) + 2)
            )
            put(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
        table = file.tell()
        file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1))
        file.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
        file.write(
            b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
            % (len(offsets) + 1, table)
        )


if __name__ == "__main__":
    main()
