from __future__ import annotations

import pytest

from rag.citations.check import Checked, Finding
from rag.citations.verification import verify
from rag.engines.openai.plain_reply import read_parts
from rag.engines.protocol import Verified
from state.answer import Citation


def citation(quote: str, passage: str, support: str) -> Citation:
    return {
        "marker": 0,
        "source": "a.md",
        "title": None,
        "page": None,
        "anchor": "line 1",
        "start_line": 1,
        "end_line": 1,
        "start_char": len(quote),
        "end_char": len(quote) + 9,
        "chunk_id": "c",
        "quote": quote,
        "passage": passage,
        "support": support,
    }


@pytest.fixture
def checked() -> Checked:
    draft = read_parts(
        "The line opened in 1897 [1]. It closed in 1934 [2]. Trains ran daily [1]. It was loved."
    )
    proved = citation("opened in 1897", "The line opened in 1897.", "verbatim")
    quarries = citation("quarries closed", "The quarries closed. So did the line.", "unsupported")
    trains = citation("ran twice", "Trains ran twice a day.", "unsupported")
    return Checked(
        draft,
        [
            Finding("verified", "its quote stands in the document", (proved,)),
            Finding("unverified", "its quote does not say 1934", (quarries,)),
            Finding("unverified", "its quote does not say daily", (trains,)),
            Finding("unverified", "no quote of it was found"),
        ],
    )


class Checker:
    """Says what it is told to, and remembers what it was asked."""

    def __init__(self, *verdicts: bool | None) -> None:
        self._verdicts = verdicts
        self.asked: list[tuple[str, str]] = []

    def verify(self, claims, quotes) -> Verified:
        self.asked = list(zip(claims, quotes, strict=True))
        return Verified(supported=self._verdicts)


def test_only_what_is_in_doubt_is_asked_about_all_at_once_with_their_passages(checked):
    checker = Checker(None, None)
    verify(checked, checker)
    assert checker.asked == [
        ("It closed in 1934.", "The quarries closed. So did the line."),
        ("Trains ran daily.", "Trains ran twice a day."),
    ]


def test_it_may_rescue_and_deny(checked):
    heard = verify(checked, Checker(True, False)).checked
    assert heard.text == (
        "The line opened in 1897 [1]. It closed in 1934 [2]. It was loved (no quote found)."
    )
    assert [c["support"] for c in heard.citations] == ["verbatim", "supported"]
    assert heard.dropped == ["Trains ran daily."]
    assert [claim["reason"] for claim in heard.claims[1:3]] == [
        "the model confirmed it on the source",
        "the model denied it on the source",
    ]


def test_no_verdict_leaves_what_code_found(checked):
    assert verify(checked, Checker(None, None)).checked == checked


def test_nothing_is_sent_where_nothing_is_open(checked):
    proved = Checked(checked.parts[:1], checked.findings[:1])
    checker = Checker()
    assert verify(proved, checker).checked == proved
    assert checker.asked == []
