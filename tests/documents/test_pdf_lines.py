"""PDF: headings, code and paragraphs are told by how their lines are set."""

from pathlib import Path

import pytest
from whole_document import read_document

TEXT = ("helvetica", "", 11)
SET = [
    (("helvetica", "B", 24), ["The harbour book"]),
    (TEXT, ["It is kept in the office. Whoever lends it", "out writes down to whom."]),
    (TEXT, ["A second paragraph."]),
    (("helvetica", "", 16), ["Berths and what they", "cost in a year"]),
    (TEXT, ["A berth costs 40 crowns:"]),
    (("courier", "", 10), ["for berth in berths:", "    pay(berth)"]),
    (("helvetica", "B", 11), ["Moorings"]),
    (TEXT, ["They are free. Nobody asks who lies there", "over the night."]),
    (("helvetica", "B", 11), ["Mind the tide."]),
]
READ = """# The harbour book
It is kept in the office. Whoever lends it
out writes down to whom.

A second paragraph.
## Berths and what they cost in a year
A berth costs 40 crowns:
```
for berth in berths:
    pay(berth)
```
##### Moorings

They are free. Nobody asks who lies there
over the night.

Mind the tide.
"""


def pdf(path: Path, *groups: tuple[tuple[str, str, float], list[str]]) -> Path:
    """Lines of a group lie 1.2 times their size apart, groups half a line more."""
    from fpdf import FPDF

    made = FPDF(unit="pt")
    made.add_page()
    up = 40.0
    for (family, style, size), lines in groups:
        made.set_font(family, style, size)
        for line in lines:
            up += 1.2 * size
            made.text(50, up, line)
        up += 10
    made.output(str(path))
    return path


def test_headings_code_and_paragraphs_are_told_by_their_setting(tmp_path: Path) -> None:
    assert read_document(pdf(tmp_path / "a.pdf", *SET)).text == READ


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([("courier", "", 10)] * 6, id="all in a typewriter's face"),
        pytest.param([("helvetica", "B", 10)] * 6, id="all bold"),
        pytest.param([("times", "", 9 + n * 0.7) for n in range(6)], id="recognized, each its own"),
    ],
)
def test_what_all_is_set_in_says_nothing(tmp_path: Path, lines) -> None:
    said = [f"What was said on day {n}" for n in range(len(lines))]
    groups = [(setting, [each]) for setting, each in zip(lines, said, strict=True)]
    text = read_document(pdf(tmp_path / "a.pdf", *groups)).text
    assert [line for line in text.split("\n") if line] == said


def test_what_is_set_close_to_a_raised_or_lowered_number_goes_on_without_a_space(
    tmp_path: Path,
) -> None:
    from fpdf import FPDF

    made = FPDF(unit="pt")
    made.add_page()
    made.set_font("helvetica", "", 11)
    for said, place in [("H", ""), ("2", "SUB"), ("O rises by 5 m", ""), ("3", "SUP"), (", ", "")]:
        made.char_vpos = place or "LINE"
        made.write(14, said)
    made.write(14, "see the note")
    made.char_vpos = "SUP"
    made.write(14, "4")
    made.char_vpos = "LINE"
    made.write(14, " below.")
    made.output(str(tmp_path / "a.pdf"))
    said = "H2O rises by 5 m3, see the note4 below."
    assert read_document(tmp_path / "a.pdf").text.strip() == said
