"""Tables of facts as files, for `tables.py`: what anybody can look up, in four formats."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

_PLANETS = """Planet,Diameter (km),Mass (10^24 kg),Length of day (hours),Moons,Mean temperature (C)
Mercury,4879,0.330,4222.6,0,167
Venus,12104,4.87,2802.0,0,464
Earth,12756,5.97,24.0,1,15
Mars,6792,0.642,24.7,2,-65
Jupiter,142984,1898,9.9,95,-110
Saturn,120536,568,10.7,146,-140
Uranus,51118,86.8,17.2,28,-195
Neptune,49528,102,16.1,16,-200
"""
_STATES = """State,Capital,1990,2000,2010,2020
California,Sacramento,29760021,33871648,37253956,39538223
Texas,Austin,16986510,20851820,25145561,29145505
Florida,Tallahassee,12937926,15982378,18801310,21538187
New York,Albany,17990455,18976457,19378102,20201249
Pennsylvania,Harrisburg,11881643,12281054,12702379,13002700
Ohio,Columbus,10847115,11353140,11536504,11799448
"""
_RIVERS = """# Rivers of the world

Lengths differ by source; these are rounded.

## Rivers of Africa

| River | Length (km) | Flows into | Countries |
| --- | --- | --- | --- |
| Nile | 6650 | Mediterranean Sea | 11 |
| Congo | 4700 | Atlantic Ocean | 9 |
| Niger | 4180 | Gulf of Guinea | 5 |
| Zambezi | 2574 | Indian Ocean | 6 |

## Rivers of Europe

| River | Length (km) | Flows into | Countries |
| --- | --- | --- | --- |
| Volga | 3531 | Caspian Sea | 1 |
| Danube | 2850 | Black Sea | 10 |
| Rhine | 1233 | North Sea | 6 |
| Elbe | 1094 | North Sea | 2 |
| Loire | 1006 | Atlantic Ocean | 1 |
"""
_RELEASES = (
    ("Version", "Released", "End of life", "Release manager"),
    ("3.8", "2019-10-14", "2024-10", "Łukasz Langa"),
    ("3.9", "2020-10-05", "2025-10", "Łukasz Langa"),
    ("3.10", "2021-10-04", "2026-10", "Pablo Galindo Salgado"),
    ("3.11", "2022-10-24", "2027-10", "Pablo Galindo Salgado"),
    ("3.12", "2023-10-02", "2028-10", "Thomas Wouters"),
    ("3.13", "2024-10-07", "2029-10", "Thomas Wouters"),
)
_ELEMENTS = {
    "Noble gases": (
        ("Element", "Symbol", "Atomic number", "Boiling point (C)"),
        ("Helium", "He", 2, -268.9),
        ("Neon", "Ne", 10, -246.0),
        ("Argon", "Ar", 18, -185.8),
        ("Krypton", "Kr", 36, -153.4),
        ("Xenon", "Xe", 54, -108.1),
        ("Radon", "Rn", 86, -61.7),
    ),
    "Alkali metals": (
        ("Element", "Symbol", "Atomic number", "Boiling point (C)"),
        ("Lithium", "Li", 3, 1342),
        ("Sodium", "Na", 11, 882.9),
        ("Potassium", "K", 19, 759),
        ("Rubidium", "Rb", 37, 688),
        ("Caesium", "Cs", 55, 671),
    ),
}


def write_tables(folder: Path) -> None:
    """The files, in `folder`."""
    from openpyxl import Workbook

    (folder / "planets.csv").write_text(_PLANETS)
    (folder / "state-populations.csv").write_text(_STATES)
    (folder / "rivers.md").write_text(_RIVERS)
    statuses = [("Code", "Name", "Meaning")]
    statuses += [(str(each.value), each.phrase, each.description) for each in HTTPStatus]
    page = _html("HTTP status codes", statuses) + _html("Releases of Python 3", _RELEASES)
    (folder / "reference.html").write_text(f"<html><body>{page}</body></html>", encoding="utf-8")
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in _ELEMENTS.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(folder / "elements.xlsx")


def _html(caption: str, rows: list[tuple[str, ...]] | tuple[tuple[str, ...], ...]) -> str:
    head, *body = rows
    lines = "".join(f"<tr>{_cells('td', row)}</tr>" for row in body)
    return f"<table><caption>{caption}</caption><tr>{_cells('th', head)}</tr>{lines}</table>"


def _cells(name: str, row: tuple[str, ...]) -> str:
    return "".join(f"<{name}>{cell}</{name}>" for cell in row)
