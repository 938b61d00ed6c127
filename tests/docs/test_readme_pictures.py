from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from readme_blocks import PAGES
from readme_pictures import PICTURES, copied, drawn, prepared, recorded, words
from screen import Screen

LONG = {"research", "eval"}


@pytest.fixture(scope="module")
def home(tmp_path_factory, _weights):
    return prepared(tmp_path_factory.mktemp("pictures") / "home")


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(each, id=each.name, marks=[pytest.mark.slow] if each.name in LONG else [])
        for each in PICTURES
    ],
)
def test_every_picture_shows_what_the_program_prints(picture, home, tmp_path):
    kept = picture.file.read_text(encoding="utf-8")
    own = copied(home, tmp_path / "home")
    assert words(kept) == words(drawn(recorded(picture, own), picture))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_every_picture_is_on_a_page_and_needs_nothing_from_elsewhere(picture):
    shown = f"![{picture.alt}](pictures/{picture.name}.svg)"
    texts = [page.read_text("utf-8").replace("](docs/pictures/", "](pictures/") for page in PAGES]
    assert any(shown in text for text in texts)
    drawing = ET.parse(picture.file)
    named = {name for each in drawing.iter() for name in each.attrib}
    assert not any("href" in name or "src" in name for name in named)
    assert "url(" not in picture.file.read_text(encoding="utf-8")


def test_a_screen_wraps_moves_and_erases_as_a_terminal_does():
    screen = Screen(6)
    screen.feed("abcdefgh\r\nold line\x1b[1A\r\x1b[2Knew\x1b[1B\r\x1b[J\x1b[1;32mok\x1b[0m!")
    assert screen.text == "abcdef\ngh\nnew\nok!"
    assert screen.runs()[3][0][1].colour == "green"
    assert screen.runs()[3][0][1].bold
