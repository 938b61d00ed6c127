import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text.sentences import MAX_SENTENCE, sentence_spans

CHARACTERS = ">abcXYZ 0123.,!?。！？|#-*`\n\r\t\f\"'()[]:;=…」「é中"
ALPHABET = st.sampled_from([*CHARACTERS, "\n\n", "```\n"])

FENCE = re.compile("(?:`{3}|~{3}).*")


def sentences(text):
    return [text[a:b] for a, b in sentence_spans(text)]


@given(st.one_of(st.text(max_size=400), st.lists(ALPHABET, max_size=300).map("".join)))
def test_spans_are_ordered_stripped_bounded_and_leave_out_marks_alone(text):
    covered = 0
    for start, end in [*sentence_spans(text), (len(text), len(text))]:
        assert covered <= start <= end <= len(text)
        assert not any(map(str.isalnum, FENCE.sub("", text[covered:start])))
        assert text[start:end] == text[start:end].strip()
        assert end - start <= MAX_SENTENCE
        covered = end


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. J. R. Smith met Mrs. Jones at 3.5 km.", "They left."],
        ["He moved to the U.S. Army base.", "She stayed in the U.S.", "The rest is known."],
        ["It costs $3.50 per kg.", "See e.g. Fig. 3 or No. 5 of the list."],
        ['"Really?" he asked.', "She said: “No.”", "Then silence…", "Next day came!"],
        ["Built in 1889.[2][3]", "It is 330 m tall (approx. 1,083 ft).", "Open daily."],
        ["Yahoo! was bought by Verizon Inc. in 2017.", "Was it?", "Yes."],
        ["Am 3. Oktober 1990 kam die Einheit.", "Das ist z.B. hier so."],
        ["It ended at 5 p.m.", "The crowd left.", "It opens at 6 a.m. (the default)."],
        ["यह एक वाक्य है।", "यह दूसरा है।"],
        ["هل هذا صحيح؟", "نعم."],
    ],
)
def test_prose_of_several_languages(expected):
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["今日は晴れです。", "明日は雨でしょう！", "本当ですか？"],
        ["「行くよ。」と彼は言った。", "彼は去った。"],
        ["北京是中国的首都。", "它有2154万人口。"],
    ],
)
def test_cjk_needs_no_space(expected):
    assert sentences("".join(expected)) == expected


def test_layout_units_stand_alone():
    text = (
        "# Title\nFirst line of a paragraph that was wrapped\nat this width. Second one.\n"
        "- item one\n- item two\n  goes on\n1. first\n2. second\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1. \ny = f(x)\n```\n\nSetext\n======\nEnd"
    )
    assert sentences(text) == [
        "Title",
        "First line of a paragraph that was wrapped\nat this width.",
        "Second one.",
        "- item one",
        "- item two\n  goes on",
        "1. first",
        "2. second",
        "| a | b |",
        "| 1 | 2 |",
        "x = 1. \ny = f(x)",
        "Setext",
        "End",
    ]


@pytest.mark.parametrize(
    "piece",
    ["a", ".", ". ", "a. ", "A.B.", "|", "#", "```\n", "\n", "- a\n", "。", "[1]", ".\"'", "1."],
)
def test_hostile_repetition_is_linear(piece):
    def cost(size):
        text = piece * (size // len(piece))
        begin = time.process_time()
        sentence_spans(text)
        return time.process_time() - begin

    small = max(cost(10_000), 0.005)
    assert cost(80_000) < 8 * small * 4
