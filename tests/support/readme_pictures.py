"""The README's pictures of a terminal: real runs, drawn as SVG.

    python tests/support/readme_pictures.py          says which pictures are out of date
    python tests/support/readme_pictures.py --write  draws them again

Each is one `crag` command in a pseudo-terminal of its own size, on the sample corpus with the
local engine and the reader. What differs from run to run, times and ids, is not compared.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pexpect
from forked_program import crag_program
from reader_weights import lent
from readme_blocks import ROOT, steady
from screen import Screen, Style

FOLDER = ROOT / "docs" / "pictures"
COLUMNS = 98
CELL, LINE, EDGE, BAR = 8.4, 19.0, 18.0, 34.0
INK, PAPER, BORDER = "#d7dae0", "#16181d", "#3a3f4b"
PALETTE = {
    "black": "#5c6370",
    "red": "#f47067",
    "green": "#7ec699",
    "yellow": "#e5c07b",
    "blue": "#6cb6ff",
    "magenta": "#d2a8ff",
    "cyan": "#66d9ef",
    "white": "#f0f3f6",
}
DIM = "#8b93a1"
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
VARIES = (
    (re.compile(r"in \d+ ms"), "in 40 ms"),
    (re.compile(r"\([a-z_]+ \d+(?:, [a-z_]+ \d+)*(?:,|\))"), "(…)"),
    (re.compile(r"^[a-z_ \d,]+\)", re.MULTILINE), "(…)"),
    (re.compile(r"\d+\.\d ms"), "1.0 ms"),
)


@dataclass(frozen=True)
class Picture:
    """`typed` are the lines that a person types then, each with a word to wait for."""

    name: str
    alt: str
    command: str
    typed: tuple[tuple[str, str], ...] = ()

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.svg"


PICTURES = (
    Picture(
        "ask",
        "crag ask --trace: a misspelt word mended, the grade of each chunk, the cited answer",
        'crag ask "Who is the treasuer?" --k 3 --trace',
    ),
    Picture(
        "chat",
        "crag chat: a question, a follow-up, the cited passage opened in its surroundings",
        "crag chat -t railway",
        (
            ("When does the museum close in winter?", "museum/"),
            ("And how much is admission for children?", "museum/"),
            ("/open 1", "museum/opening-hours.txt"),
        ),
    ),
    Picture(
        "research",
        "crag research: rounds of subtasks, what each found, what was decided after each round",
        'crag research "How high is Stone Gill station, and how long is the Corbel Tunnel?" '
        "--out report.md",
    ),
    Picture(
        "eval",
        "crag eval: retrieval, grading, abstention, answers, citations and loops measured on 80 "
        "questions",
        "crag eval sample_corpus",
    ),
)
PROMPT = "crag>"


def recorded(picture: Picture, home: Path) -> Screen:
    """The screen after the command has run, its own line first."""
    environment = {
        **os.environ,
        "CRAG_HOME": str(home),
        "CRAG_ENGINE": "local",
        "COLUMNS": str(COLUMNS),
        "CRAG_LINKS": "none",  # they would hold the paths of a machine
        "TERM": "xterm-256color",
        "COLORTERM": "",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "PYTHONPATH": str(ROOT),
    }
    environment.pop("NO_COLOR", None)
    screen = Screen(COLUMNS)
    screen.feed(f"\x1b[32m$\x1b[0m \x1b[1m{picture.command}\x1b[0m\r\n")
    line = picture.command.replace("crag", crag_program(), 1)
    folder = home.parent / "folder"
    folder.mkdir(exist_ok=True)
    if not (folder / "sample_corpus").exists():
        (folder / "sample_corpus").symlink_to(ROOT / "sample_corpus")
    child = pexpect.spawn(
        line,
        cwd=str(folder),
        env=environment,
        dimensions=(400, COLUMNS),
        encoding="utf-8",
        timeout=120,
    )
    said = ""
    for typed, awaited in (*picture.typed, ("/exit", "")) if picture.typed else ():
        child.expect_exact(PROMPT)
        said += child.before + child.after
        child.send(typed + "\r")
        child.expect_exact(awaited)
        said += child.before + child.after
    child.expect(pexpect.EOF)
    screen.feed(said + child.before)
    child.close()
    assert child.exitstatus == 0, f"{picture.command}: {screen.text}"
    return screen


def drawn(screen: Screen, picture: Picture) -> str:
    """One SVG, with no font or file of another's; looks the same on light and dark pages."""
    rows = screen.runs()
    width = COLUMNS * CELL + 2 * EDGE
    height = len(rows) * LINE + BAR + EDGE
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
    frame = f'width="{width - 2:.0f}" height="{height - 2:.0f}" rx="9"'
    dots = (f'<circle cx="{EDGE + 6 + 18 * n:.0f}" cy="17" r="5"/>' for n in range(3))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(picture.alt)}</title>",
        f'<rect x="1" y="1" {frame} fill="{PAPER}" stroke="{BORDER}"/>',
        f'<g fill="{BORDER}">{"".join(dots)}</g>',
        f'<g fill="{INK}" font-size="14" font-family="{FONTS}">',
    ]
    for number, row in enumerate(rows):
        column = 0
        for text, style in row:
            if text.strip():
                x, y = EDGE + column * CELL, BAR + (number + 0.75) * LINE
                lines.append(
                    f'<text xml:space="preserve" x="{x:.1f}" y="{y:.1f}" '
                    f'textLength="{len(text) * CELL:.1f}" '
                    f'lengthAdjust="spacingAndGlyphs"{_dress(style)}>{_kept(text)}</text>'
                )
            column += len(text)
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _kept(text: str) -> str:
    """The text with blanks that SVG does not run together."""
    return escape(text).replace(" ", "\N{NO-BREAK SPACE}")


def _dress(style: Style) -> str:
    colour = DIM if style.dim else None
    if style.colour is not None:
        colour = PALETTE[style.colour.removeprefix("bright ")]
    parts = [f' fill="{colour}"' if colour else ""]
    parts.append(' font-weight="bold"' if style.bold else "")
    parts.append(' font-style="italic"' if style.italic else "")
    return "".join(parts)


def words(svg: str) -> str:
    """What a picture says, without what differs from run to run."""
    text = "\n".join(re.findall(r"<text [^>]*>(.*?)</text>", svg))
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    for pattern, fixed in VARIES:
        text = pattern.sub(fixed, text)
    return steady(text)


def prepared(home: Path) -> Path:
    """The home, with the sample corpus in it."""
    recorded(Picture("ingest", "", "crag ingest sample_corpus"), lent(home))
    return home


def copied(home: Path, place: Path) -> Path:
    """A picture's own home: what the program says but once depends on no other picture."""
    return Path(shutil.copytree(home, place, symlinks=True))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(Path(folder) / "home")
        made_now = {
            each: drawn(recorded(each, copied(home, Path(folder) / each.name)), each)
            for each in PICTURES
        }
    files = {each.file: svg for each, svg in made_now.items()}
    stale = [file for file, svg in files.items() if words(file.read_text()) != words(svg)]
    for file in stale:
        if "--write" in sys.argv:
            file.write_text(files[file], encoding="utf-8")
        else:
            print(f"{file.stem} is out of date: python tests/support/readme_pictures.py --write")
    return int(bool(stale) and "--write" not in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
