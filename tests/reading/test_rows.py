"""A question for a cell: its row is cited with the header and the table's caption or sheet."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ingest_runs import session_of

from state.answer import Answer

SHIPS = """Ship,Built,Length (m),Passengers
Aurora,1987,64.5,320
Borealis,2003,91,1250
Cassiopeia,1965,48.2,
Draco,2011,88.4,900
"""
PIERS = """# Piers

Every pier is closed in a storm.

| Pier | Berths | Depth (m) |
| --- | --- | --- |
| Northgate | 3 | 7.5 |
| Ropewalk | 11 | 4.2 |
| Saltern | 5 | 9.1 |

Dredging is due in March.
"""
FARES = """<html><body><p>Children travel at half the price.</p>
<table><caption>Fares of the night ferry</caption>
<tr><th>Class</th><th>Single</th><th>Return</th></tr>
<tr><td>Deck</td><td>12.40</td><td>21.00</td></tr>
<tr><td>Cabin</td><td>58.00</td><td>99.50</td></tr></table></body></html>"""

VISITORS = """<html><body><h1>Visitors</h1>
<h2>Can I bring my dog?</h2><p>Dogs ride in the guard's van, on a lead.</p>
<h2>Where do I park?</h2><p>The car park at Ropewalk has forty places and closes at dusk.</p>
</body></html>"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Answer]]:
    from openpyxl import Workbook

    folder: Path = tmp_path_factory.mktemp("tables")
    files = folder / "files"
    files.mkdir()
    book = Workbook()
    book.remove(book.worksheets[0])
    crews = {"Aurora": ("Ines Roth", "mate", 14), "Draco": ("Olaf Brandt", "cook", 31)}
    for ship, row in crews.items():
        sheet = book.create_sheet(f"Crew of the {ship}")
        sheet.append(("Name", "Rank", "Cabin"))
        sheet.append(row)
    book.save(files / "crew.xlsx")
    log = "\n".join(f"Day {day},{day % 7},{1000 - day}" for day in range(1, 400))
    texts = {"ships.csv": SHIPS, "piers.md": PIERS, "fares.html": FARES, "visitors.html": VISITORS}
    with session_of(folder, {**texts, "log.csv": f"Day,Wind,Fuel left\n{log}\n"}) as session:
        yield session.ask


@pytest.mark.parametrize(
    ("question", "quote", "passage"),
    [
        ("How many passengers does the Draco take?", "Draco | 2011 | 88.4 | 900", "Ship | Built"),
        ("What does a return in a cabin cost?", "Cabin | 58.00 | 99.50", "Class | Single"),
        ("What rank has Olaf Brandt?", "Olaf Brandt | cook | 31", "Name | Rank"),
        ("What was the fuel left on day 333?", "Day 333 | 4 | 667", "Day | Wind | Fuel left\n"),
        ("What is the depth of the Ropewalk pier?", "| Ropewalk | 11 | 4.2 |", "| Pier | Berths"),
    ],
)
def test_the_row_is_quoted_behind_its_header(ask, question, quote, passage):
    (cited, *_) = ask(question)["citations"]
    assert cited["quote"] == quote
    assert cited["passage"].endswith(quote)
    assert passage in cited["passage"]
    assert len(cited["passage"].splitlines()) <= 3, "no row beside it"


def test_rows_of_one_short_table_are_shown_together_and_wide_ones_each_by_its_cells(ask, tmp_path):
    cited, *_ = ask("How many berths has each pier?")["citations"]
    assert cited["quote"].splitlines() == PIERS.splitlines()[6:9]
    assert cited["shown"].startswith("| Pier | Berths | Depth (m) |\n| Northgate | 3 | 7.5 |\n")
    wide = PIERS.replace("Depth (m)", "Depth in metres below the lowest tide of a year " * 3)
    with session_of(tmp_path, {"piers.md": wide}) as session:
        cited, *_ = session.ask("How many berths has each pier?")["citations"]
    first, second, third = cited["shown"].split("\n\n")
    assert first.startswith("Pier: Northgate\nBerths: 3\nDepth in metres")
    assert (second.split("\n")[0], third.split("\n")[0]) == ("Pier: Ropewalk", "Pier: Saltern")


def test_a_converted_file_is_cited_by_the_heading_above_the_quote(ask):
    (cited, *_) = ask("When does the car park close?")["citations"]
    assert cited["quote"] == "The car park at Ropewalk has forty places and closes at dusk."
    assert (cited["anchor"], cited["start_line"]) == ("section Where do I park?", None)


LAMPS = """<table><tr><th colspan=2>All the lamps</th></tr>
<tr><th>Lamp</th><th>Use</th></tr>
<tr><td>Hollin</td><td>%s<table><tr><td>red<td>stop</table></td></tr>
<tr><td>Osmer</td><td>shows the harbour's mouth</td></tr></table>""" % ("lights the weir. " * 40)


def test_a_table_with_names_above_its_columns_is_rows_whatever_its_cells_hold(tmp_path):
    """One long cell, or a table in one, made paragraphs of a word each out of all of it."""
    with session_of(tmp_path, {"lamps.html": LAMPS}) as session:
        shown = session.ask("What does the lamp Osmer show?")["citations"][0]["shown"]
    assert shown == "Lamp | Use\n…\nOsmer | shows the harbour's mouth"


def test_of_a_row_too_wide_to_stand_below_its_header_each_cell_is_named(tmp_path):
    duties = "keeps the book of tolls and oils the locks of each gate, closes the gates when the"
    duties += " water is above the mark, and lights the lamp beside the weir when it is dark"
    rows = f"| Mill | {duties} | {duties} in winter |\n| Weir | {duties} | none |"
    text = f"# Duties\n\n| House | First keeper | Second keeper |\n| --- | --- | --- |\n{rows}\n"
    with session_of(tmp_path, {"duties.md": text}) as session:
        shown = session.ask("duties of the keepers of the Mill house?")["citations"][0]["shown"]
    assert shown.split("\n")[0] == "House: Mill"
    assert shown.split("\n")[2] == f"Second keeper: {duties} in winter"


def test_columns_without_names_name_nothing(tmp_path):
    """The row above was shown as the header, or cells behind a colon alone."""
    wide = "the keeper of the second lock, who has the long bar. " * 6
    text = (
        "# Lock\n\n| | |\n|---|---|\n| Opens | at dawn |\n| Closes | at dusk |\n\n"
        f"# Weir\n\n| | Who |\n|---|---|\n| Bell | {wide} |\n"
    )
    with session_of(tmp_path, {"lock.md": text}) as session:
        lock = session.ask("when closes the lock?")
        weir = session.ask("who has the weir's bell?")
    assert lock["citations"][0]["shown"] == "…\n| Closes | at dusk |"
    assert weir["citations"][0]["shown"].startswith("Bell\nWho: the keeper")
