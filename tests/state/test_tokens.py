"""Token counts equal o200k_base's, offline."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state import tokens
from state.errors import SetupError


def test_known_counts():
    assert tokens.count_tokens("") == 0
    assert tokens.count_tokens("Hello, world!") == 4
    assert tokens.encoding().encode("hello world") == [24912, 2375]
    assert tokens.encoding().n_vocab == 200019
    assert tokens.count_tokens("<|endoftext|>") > 1, "what looks special is counted as text"
    assert tokens.count_tokens("a\ud800b") == tokens.count_tokens("a?b")


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")
@given(text=st.text())
def test_ids_equal_another_implementation_s(text):
    from bpe_openai import get_encoding

    other = get_encoding("o200k_base")
    assert tokens.encoding().encode(text, disallowed_special=()) == list(other.encode(text))


def test_packed_ranks_are_those_they_were_made_from_or_a_setup_error(tmp_path, monkeypatch):
    file = tmp_path / "o200k_base.bin"
    monkeypatch.setattr(tokens, "PACKED", file)
    unpacked, packed = tokens.read_ranks(), tokens.packed_ranks()
    monkeypatch.setattr(tokens, "find_spec", lambda _: None)
    with pytest.raises(SetupError, match="missing or damaged"):
        tokens.encoding.__wrapped__()
    file.write_bytes(packed)
    assert file.stat().st_size < 1_100_000
    assert tokens.read_ranks() == unpacked
    assert len(unpacked) == 199_998
    file.write_bytes(file.read_bytes()[:-1_000])
    with pytest.raises(SetupError, match="missing or damaged"):
        tokens.encoding.__wrapped__()


@pytest.mark.parametrize(
    "text",
    [
        "The museum is open daily from ten; adults pay £12 a day, children nothing at all.",
        "def unwrap(rows):\n    return [row[0] for row in rows if row.kind is not Kind.EMPTY]",
        "| 2,041.50 | 17.25 | 980 |\n| 1,870.00 | 16.40 | 1,012 |\n| 3.5 | 0.02 | 77 |",
        "Das Eisenbahnmuseum ist täglich ab zehn Uhr geöffnet; Erwachsene zahlen zwölf Pfund.",
        "铁路博物馆每天上午十点开放，成人票价为十二英镑，儿童免费。请提前预订导游服务。",
        "Музей железной дороги открыт ежедневно с десяти утра, билет стоит двенадцать фунтов.",
    ],
)
def test_about_how_many_they_are_is_known_without_the_ranks(text):
    assert 0.8 <= tokens.estimate_tokens(text) / tokens.count_tokens(text) <= 1.5
