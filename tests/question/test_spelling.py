import pytest

from rag.question.spelling import mend_spelling

FILES = {
    "pump.md": "Two pumps differ in their plan. Throttling is hard on both, which happens.",
    "valve.md": "A valve differs from a tap.",
}


@pytest.mark.parametrize(
    ("typed", "mended"),
    [
        ("the diffrence of pumps", "the difference of pumps"),  # the documents have "differ"
        ("Hapening when?", "Happening when?"),
        ("it happeend", "it happened"),
    ],
)
def test_a_slip_in_another_form_of_a_word_that_the_documents_hold_is_mended(typed, mended, session):
    assert mend_spelling(typed, session.reader) == mended


@pytest.mark.parametrize(
    "typed", ["heard", "plain", "planet", "turbine", "differ", "INVENTOIN", "inventoin"]
)
def test_neither_is_a_common_word_mended_nor_one_into_what_no_document_holds(typed, session):
    assert mend_spelling(typed, session.reader) == typed
