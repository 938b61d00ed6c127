from __future__ import annotations

from rag.citations.check import Checked
from rag.citations.verification import verify
from rag.engines.protocol import Verified
from state.answer import Citation


def citation(marker: int, quote: str) -> Citation:
    return {
        "marker": marker,
        "source": "a.md",
        "title": None,
        "page": None,
        "start_line": 1,
        "end_line": 1,
        "start_char": 0,
        "end_char": len(quote),
        "chunk_id": f"c{marker}",
        "quote": quote,
        "passage": quote,
        "support": "supported",
    }


CHECKED = Checked(
    "The line opened in 1897 [1]. It closed in 1934 [2]. Trains ran daily [1][3].",
    [citation(1, "opened in 1897"), citation(2, "quarries closed"), citation(3, "ran daily")],
    (),
)


class Checker:
    """Says what it is told to, and remembers what it was asked."""

    def __init__(self, *verdicts: bool | None) -> None:
        self._verdicts = verdicts
        self.asked: list[tuple[str, str]] = []

    def verify(self, claims, quotes) -> Verified:
        self.asked = list(zip(claims, quotes, strict=True))
        return Verified(supported=self._verdicts)


def test_each_claim_is_shown_with_its_own_quotes():
    checker = Checker(True, True, True)
    assert verify(CHECKED, checker).checked == CHECKED
    assert [quote for _, quote in checker.asked] == [
        "opened in 1897",
        "quarries closed",
        "opened in 1897 … ran daily",
    ]


def test_a_denied_claim_goes_and_markers_stay_in_step():
    checked = verify(CHECKED, Checker(True, False, True)).checked
    assert checked.text == "The line opened in 1897 [1]. Trains ran daily [1][2]."
    assert [(c["marker"], c["quote"]) for c in checked.citations] == [
        (1, "opened in 1897"),
        (2, "ran daily"),
    ]
    assert checked.unsupported == ("It closed in 1934.",)


def test_no_verdict_leaves_what_code_found():
    assert verify(CHECKED, Checker(None, None, None)).checked == CHECKED


def test_all_denied_leaves_nothing():
    checked = verify(CHECKED, Checker(False, False, False)).checked
    assert (checked.text.strip(), checked.citations) == ("", [])
