from __future__ import annotations

import pytest

from rag.citations.check import Checked, Finding, heard, in_doubt
from rag.engines.openai.plain_reply import read_parts
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
    return Checked.of(
        draft,
        [
            Finding("verified", "its quote stands in the document", (proved,)),
            Finding("unverified", "its quote does not say 1934", (quarries,)),
            Finding("unverified", "its quote does not say daily", (trains,)),
            Finding("unverified", "no quote of it was found"),
        ],
    )


def test_only_what_is_in_doubt_is_asked_about_with_its_passages(checked):
    assert in_doubt(checked) == {
        1: ("It closed in 1934.", "The quarries closed. So did the line."),
        2: ("Trains ran daily.", "Trains ran twice a day."),
    }
    assert in_doubt(Checked.of(checked.parts[:1], checked.findings[:1])) == {}


def test_a_model_may_rescue_and_deny_and_without_a_verdict_all_stays(checked):
    assert heard(checked, (None, None)) == checked
    said = heard(checked, (True, False))
    assert said.text == (
        "The line opened in 1897 [1]. It closed in 1934 [2]. It was loved (no quote found)."
    )
    assert [c["support"] for c in said.citations] == ["verbatim", "supported"]
    assert said.dropped == ["Trains ran daily."]
    assert ["model" in claim["reason"] for claim in said.claims] == [False, True, True, False]
