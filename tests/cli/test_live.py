"""The draft that grows on a terminal gives way to the answer, however long it is."""

from io import StringIO
from time import sleep

from cli.render.live import LiveAnswer
from cli.terminal import Terminal

LINES = 6


def test_of_a_draft_longer_than_the_screen_no_more_is_drawn_than_can_be_taken_back(monkeypatch):
    screen = StringIO()
    monkeypatch.setattr("sys.stdout", screen)
    for name, value in (("COLUMNS", "40"), ("LINES", str(LINES)), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
    with LiveAnswer(Terminal(), trace=False, events=False, stream=True) as live:
        for number in range(60):
            live.show({"event": "token", "text": f"line {number}\n"})
        sleep(0.3)  # a frame is drawn twenty times a second
    drawn = screen.getvalue()
    assert "line 1" in drawn
    assert f"line {LINES + 1}" not in drawn
