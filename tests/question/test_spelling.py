import pytest
from ingest_runs import collection_of

from rag.question.spelling import mend_spelling

PUMP = {
    "pump.md": "Two pumps differ in their plan. Throttling is hard on both, which happens.",
    "valve.md": "A valve differs from a tap.",
}


@pytest.fixture(scope="module")
def pump(tmp_path_factory):
    return collection_of(tmp_path_factory.mktemp("pump"), PUMP)


@pytest.mark.parametrize(
    ("typed", "mended"),
    [
        ("the diffrence of pumps", "the difference of pumps"),  # the documents have "differ"
        ("Hapening when?", "Happening when?"),
        ("it happeend", "it happened"),
    ],
)
def test_a_slip_in_another_form_of_a_word_that_the_documents_hold_is_mended(typed, mended, pump):
    assert mend_spelling(typed, pump)[0] == mended


@pytest.mark.parametrize("typed", ["heard", "plain", "planet", "turbine", "differ", "INVENTOIN"])
def test_a_common_word_is_no_slip_of_another(typed, pump):
    assert mend_spelling(typed, pump)[1] == ()


def test_nothing_becomes_a_word_that_the_documents_do_not_hold(pump):
    assert mend_spelling("inventoin", pump)[1] == ()
