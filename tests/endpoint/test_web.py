import json
import threading
from pathlib import Path

import pytest
from bad_servers import MISDEEDS, bad_server, packed_zeros
from in_time import within
from scripted_server import Sent
from searx_server import SearxServer

from rag.session import open_session
from rag.web import WebSearch, open_web
from state.answer import Answer
from state.errors import BudgetError, RemoteError, SettingsError
from state.settings import Settings, load_settings

RESULT = {
    "url": "https://example.org/moons",
    "title": "Moons of Saturn",
    "content": "Saturn has 146 confirmed moons. The largest moon of Saturn is Titan.",
}
QUESTION = "How many confirmed moons does Saturn have?"
FILES = {"line.md": "# The line\n\nThe railway opened on 14 June 1897.\n"}


def settings(home: Path, **changed: object) -> Settings:
    return load_settings({"home": home, "engine": "local", "max_loops": 1, **changed})


def test_the_web_is_asked_only_where_allowed_and_only_when_the_documents_fail(home: Path):
    with SearxServer([RESULT]) as web:
        with open_session(settings(home, web_url=web.url)) as session:
            assert session.ask(QUESTION)["status"] == "abstained"
            assert web.asked == []
        with open_session(settings(home, web=True, web_url=web.url)) as session:
            answer = session.ask("On what date did the railway open?")
            assert answer["status"] == "answered"
            assert web.asked == []
            answer = session.ask(QUESTION)
    assert web.asked == [QUESTION]
    assert answer["status"] == "answered"
    (citation,) = answer["citations"]
    assert citation["source"] == RESULT["url"]
    assert citation["start_line"] is None  # no line of the page is known
    text = RESULT["content"]
    assert text[citation["start_char"] : citation["end_char"]] == citation["quote"]
    assert "146" in answer["answer"]


def from_the_web(home: Path, page: dict[str, str]) -> tuple[Answer, list[str]]:
    """The answer where the web has this page alone, and what the web was asked."""
    with (
        SearxServer([page]) as web,
        open_session(settings(home, web=True, web_url=web.url)) as session,
    ):
        return session.ask(QUESTION), web.asked


def test_pages_that_do_not_answer_are_not_cited(home: Path):
    off_topic = {**RESULT, "content": "A recipe for goat cheese with honey and thyme."}
    answer, asked = from_the_web(home, off_topic)
    assert (answer["status"], answer["citations"], len(asked)) == ("abstained", [], 1)


def test_half_of_a_surrogate_pair_in_a_page_costs_no_answer(home: Path):
    odd = {name: f"{value} \ud83d" for name, value in RESULT.items()}
    answer, _ = from_the_web(home, odd)
    assert answer["status"] == "answered"
    (citation,) = answer["citations"]
    assert citation["source"] == f"{RESULT['url']} ?"
    json.dumps(answer, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "sent",
    [
        Sent(500),
        Sent(403),
        Sent(body=b"<html>no json here</html>"),
        Sent(body=b""),
        Sent(body=b'{"results": 7}'),
        Sent(body=b" " * (65 << 20)),
        Sent(body=b"[" * 100_000),
        Sent(body=packed_zeros(300), headers={"Content-Encoding": "deflate"}),
    ],
    ids=["500", "403", "html", "empty", "wrong type", "too long", "too deep", "unpacks to 300 MB"],
)
def test_a_failing_endpoint_is_one_named_error(sent: Sent):
    refused = pytest.raises(RemoteError, match=r"127\.0\.0\.1")
    with within(20), SearxServer(sent=sent) as web, refused:
        WebSearch(web.url, timeout=60)("question", 3)


def test_an_endpoint_that_drips_ends_with_the_search_and_with_the_question(home: Path):
    with bad_server(MISDEEDS["drips headers"]) as port:
        url = f"http://127.0.0.1:{port}/search"
        with pytest.raises(RemoteError, match=r"no whole reply within 0\.5 s"):
            WebSearch(url, timeout=0.5)("question", 3)
        limited = settings(home, web=True, web_url=url, timeout=1.5)
        late = pytest.raises(BudgetError, match="time budget")
        with open_session(limited) as session, within(5), late:
            session.ask(QUESTION)


def test_the_time_of_a_question_holds_with_the_local_engine(home: Path, monkeypatch):
    limited = settings(home, timeout=0.5)
    with open_session(limited) as session:
        released = threading.Event()
        reader, search = session.reader, session.reader.search
        monkeypatch.setattr(reader, "search", lambda *a: released.wait(20) and search(*a))
        with within(5), pytest.raises(BudgetError, match=r"time budget .*--timeout"):
            session.ask("On what date did the railway open?", thread="kept")
        released.set()
        assert list(session.memory.store.turns("kept")) == []


def test_links_that_are_no_web_pages_are_dropped():
    odd = [{**RESULT, "url": url} for url in ("javascript:alert(1)", "file:///etc/passwd", "")]
    with SearxServer([*odd, RESULT]) as web:
        found = WebSearch(web.url, timeout=60)("question", 10)
    assert [hit["source"] for hit in found] == [RESULT["url"]]


def test_web_without_an_endpoint_is_a_set_up_error():
    with pytest.raises(SettingsError, match="SearXNG"):
        open_web(load_settings({"web": True}))
