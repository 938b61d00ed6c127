"""PDF: broken words are joined, running heads are read once."""

import pytest
from in_time import cpu_within

from rag.documents.pdf import reflow
from rag.documents.pdf_lines import BROKEN
from rag.documents.stream import Part

KEPT = "The well-known rower rows in spring.\nHe is well rested and known."


def read(*pages: str) -> list[str]:
    """The text of each page, blank ones left out."""
    parts = [Part(text + "\n", number) for number, text in enumerate(pages, 1) if text]
    return [part.text.removesuffix("\n") for part in reflow(parts)]


def test_a_word_broken_at_a_lines_end_is_whole() -> None:
    broken = f"We lend the trampo{BROKEN}line, and who{BROKEN}ever asks may have it.\nYours"
    assert read(broken) == ["We lend the trampoline,\nand whoever\nasks may have it.\nYours"]
    assert read(f"An inter{BROKEN}nationali{BROKEN}sation.") == ["An internationalisation."]


def test_a_hyphen_that_may_be_the_words_own_stays() -> None:
    for word, goes_on in (("well-known", " boat"), ("Half-Moon", " Street"), ("10-fold", ".")):
        said = read(f"the {word.replace('-', BROKEN)}{goes_on}", KEPT)[0]
        assert said.split() == f"the {word}{goes_on}".split()
    # The word without a hyphen stands on a page that follows.
    assert read(f"the Whit{BROKEN}Sun boat", "Whitsun")[0] == "the WhitSun\nboat"


def test_running_heads_and_page_numbers_are_read_once() -> None:
    bodies = [f"Text of {word}.\nMore of {word}." for word in "abcdefgh"]
    ends = ["2026", "of the club"] * 4
    odd = [f"Boat club\nRules {end}\n{body}" for end, body in zip(ends, bodies, strict=True)]
    pages = read(*(f"{text}\nEN\nPage {n} of 8\n{n}" for n, text in enumerate(odd, 1)))
    assert pages[0] == f"Boat club\nRules 2026\n\n{bodies[0]}\n\nEN\nPage 1 of 8"
    assert pages[1] == f"Rules of the club\n\n{bodies[1]}"
    assert pages[2:] == bodies[2:]


@pytest.mark.parametrize(
    "pages",
    [
        ["Berth | Length\nA | 7\nTotal 12", "Berth | Length\nB | 8\nTotal 31"],
        ["One page.\n1"],
        [f"Exercise {n}\nTask {n * n}" for n in range(1, 5)],
        [f"Berth | Length\n{n} | 7{n * n}\nText {n * n}" for n in range(1, 5)],
        [f"Mooring {n * n}\nSwivel: good\nNext inspection: March 2026" for n in range(1, 5)],
        [f"Date: 2024-03-0{n}\nRain {n * n}\nInvoice: 2024-{117 + n}" for n in range(1, 5)],
        [f"Rule {n * n}." + "\nas before." * 14 for n in range(1, 5)],
    ],
)
def test_what_differs_by_more_than_the_pages_and_a_table_s_header_stay(pages: list[str]) -> None:
    assert read(*pages) == pages


def test_a_head_that_counts_its_pages_is_no_field() -> None:
    pages = read(*(f"Chapter 4: Berths {n}\nText of {word}." for n, word in enumerate("abc", 10)))
    assert pages == ["Chapter 4: Berths 10\n\nText of a.", "Text of b.", "Text of c."]


def test_words_broken_at_every_line_are_joined_in_time() -> None:
    with cpu_within(8):
        assert read(f"word{BROKEN}" * 40_000)
