"""`crag open`, and what is said once a home."""

from crag import HIGH, crag, ended, in_terminal, make_home, shown_in_terminal
from ingest_runs import home_of
from searx_server import SearxServer

OFFERED, TOLD = "Rank what is found by meaning? 164 MB", "A model would answer"


def test_a_cited_place_is_shown_with_its_lines_and_its_file(tmp_path):
    home = make_home(tmp_path)
    assert "no trace" in crag(home, "open").stderr.lower()
    crag(home, "ask", HIGH)
    opened = crag(home, "open", "1")
    assert "viaduct.md" in opened.stdout
    assert ">     3  The Gillfoot Viaduct is 31 metres high" in opened.stdout
    assert opened.stderr.strip().endswith("files/viaduct.md")
    wrong = crag(home, "open", "7")
    assert (wrong.exit_code, "has no citation [7]" in wrong.stderr) == (2, True)
    (tmp_path / "files" / "viaduct.md").unlink()
    crag(home, "ingest", tmp_path / "files")
    gone = crag(home, "open", "1")
    assert (gone.exit_code, "no longer in default" in gone.stderr) == (2, True)


def test_lines_of_what_was_converted_have_no_numbers(tmp_path):
    page = "<html>\n\n<body>\n<p>The Gillfoot Viaduct is 31 metres high.</p></body></html>"
    home = home_of(tmp_path, {"viaduct.html": page})
    crag(home, "ask", HIGH)
    opened = crag(home, "open")
    assert "\n> The Gillfoot Viaduct is 31 metres high." in opened.stdout


def test_a_cited_page_of_the_web_is_said_to_be_one(home):
    url = "https://example.org/moons"
    page = {"url": url, "title": "Moons", "content": "Saturn has 146 confirmed moons."}
    with SearxServer([page]) as web:
        asked = ("ask", "How many confirmed moons does Saturn have?", "--web")
        assert f"{url} snippet" in crag(home, *asked, CRAG_WEB_URL=web.url).stdout
    assert f"{url} is a page of the web" in crag(home, "open").stderr


def test_a_first_ingest_on_a_terminal_offers_the_reader_once_and_remembers_the_reply(tmp_path):
    home = make_home(tmp_path)
    child = in_terminal(home, "ingest")
    child.expect_exact(OFFERED)
    child.send("n\r")
    assert ended(child) == 0
    shown, code = shown_in_terminal(home, "ingest")
    assert (code, OFFERED in shown) == (0, False)


def test_the_first_answer_without_a_model_says_once_that_there_are_models(home):
    assert TOLD not in crag(home, "ask", HIGH).stderr
    shown = [shown_in_terminal(home, "ask", HIGH)[0] for _ in range(2)]
    assert [TOLD in each for each in shown] == [True, False]
