"""What is quoted of an excerpt that stands behind a likelier one."""

from __future__ import annotations

from memory_collection import MemoryCollection

from rag.evidence.quotation import best_sentences, narrowed
from rag.question.parse import parse_question
from rag.text.blocks import blocks_of_text
from state.passages import Span

TEXT = f"""## Winter

{"The line is closed in winter. " * 9}

## Snow plough

{"It is kept at Osmer, with its crew. " * 9}

Before it leaves the shed, see to:

- the blade, which is greased
- the lamps

```sh
plough --start
plough --lower
```

{"It returns by night. " * 12}
"""


def _span(text: str) -> Span:
    return {
        "start_char": 0,
        "end_char": len(text),
        "start_line": 1,
        "end_line": 1 + text.count("\n"),
        "text": text,
        "lead": "Rolling stock\n",
        "blocks": blocks_of_text(text, "markdown"),
        "part": 0,
        "score": 0.1,
    }


def test_blocks_around_the_sentence_are_kept_whole_below_what_introduces_them() -> None:
    span = narrowed(_span(TEXT), TEXT.index("the lamps"), 120)
    assert TEXT[span["start_char"] : span["end_char"]] == span["text"]
    assert span["text"].endswith("```sh\nplough --start\nplough --lower\n```")
    assert span["text"].startswith("Before it leaves the shed, see to:")
    assert span["lead"] == "Snow plough\n"
    assert span["start_line"] == 9


def test_a_list_is_not_cut() -> None:
    span = narrowed(_span(TEXT), TEXT.index("the blade"), 20)
    assert span["text"] == "- the blade, which is greased\n- the lamps"


def test_the_line_that_introduces_a_list_stands_above_a_later_item() -> None:
    span = narrowed(_span(TEXT), TEXT.index("the lamps"), 20)
    assert span["text"] == "- the lamps"
    assert span["lead"] == "Snow plough\n\nBefore it leaves the shed, see to:"


def test_the_first_blocks_keep_what_introduces_the_excerpt() -> None:
    short = "A line.\n\nAnother.\n"
    assert narrowed(_span(short), 0, 600) == _span(short)
    assert narrowed(_span(short), 0, 8)["lead"] == "Rolling stock\n"


def test_a_block_longer_than_that_is_kept_whole() -> None:
    span = narrowed(_span(TEXT), TEXT.index("It returns"), 40)
    assert span["text"] == ("It returns by night. " * 12).strip()


LETTER = """linkTitle: Plough.works

Dear plough shed,

The plough needs a new blade. It comes on the 4th of May, on the noon train.

Kind regards
The plough works
"""


def test_a_sentence_with_its_neighbour_answers_and_not_what_repeats_the_question() -> None:
    collection = MemoryCollection({"letter.txt": LETTER})
    parsed = parse_question("what did the plough works say about the plough", collection)
    start, end = best_sentences(parsed, _span(LETTER))
    said = "The plough needs a new blade. It comes on the 4th of May, on the noon train."
    assert LETTER[start:end] == said
