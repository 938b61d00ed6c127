"""What a model is given to read: whole blocks under their headings, doubtful chunks too."""

from memory_collection import MemoryCollection
from openai_samples import chunk_of, grade_of

from rag.answering.whole_blocks import (
    LEAST_CHUNKS,
    MOST_CHARACTERS,
    evidence_chunks,
    is_doubtful,
    whole_blocks,
)
from rag.engines.openai.prompts import passage_text, passage_title
from rag.text.blocks import blocks_of_text
from state.passages import block_spans

ACCESS = """# Reaching the hut

The path is open from May.

## By air

May a helicopter land at the hut?

No. The helicopter uses the valley.

## By rail

| station | height (m) |
|---|---|
| Osmer | 287 |
| Stone Gill | 596 |
"""


def collection_of(*texts):
    return MemoryCollection({f"f{n}.md": text for n, text in enumerate(texts)})


def graded(name, verdict, grader="local"):
    return {**grade_of(name, relevant=verdict == "correct", grader=grader), "verdict": verdict}


def test_a_block_is_whole_and_stands_under_its_heading():
    reader = collection_of(ACCESS)
    (chunk,) = reader.search("helicopter hut", 1)
    filler = "\n\n".join(f"Rule {n} is about lamps and ropes. " * 9 for n in range(20))
    blocks = block_spans(blocks_of_text(ACCESS + filler, "markdown"))
    long = {**chunk, "text": ACCESS + filler, "blocks": blocks}
    (passage,) = whole_blocks("Can a helicopter land at the hut?", [long], reader)
    shown = passage_text(passage)
    assert "## By air\n\nMay a helicopter land at the hut?" in shown
    assert "\nNo. The helicopter uses the valley." in shown
    assert len(shown) < len(long["text"])
    for span in passage["spans"]:
        assert span["text"] == long["text"][span["start_char"] : span["end_char"]]


def test_a_row_comes_with_its_table():
    reader = collection_of(ACCESS)
    (chunk,) = reader.search("Stone Gill height", 1)
    (passage,) = whole_blocks("How high is Stone Gill?", [chunk], reader)
    assert "| station | height (m) |" in passage_text(passage)


def test_each_of_the_best_chunks_is_shown_and_the_whole_is_short():
    texts = [f"# Hut {n}\n\n" + f"Hut {n} has a stove and {n} beds. " * 40 for n in range(8)]
    chunks = [chunk_of(f"hut{n}", text[:1_200]) for n, text in enumerate(texts)]
    passages = whole_blocks("How many beds has hut 3?", chunks, collection_of(*texts))
    assert len(passages) >= 2
    assert [p["number"] for p in passages] == list(range(1, len(passages) + 1))
    longest = max(len(text) for text in texts)
    assert sum(len(passage_text(p)) for p in passages) <= MOST_CHARACTERS + 2 * longest


def test_the_same_text_is_shown_once():
    chunks = [chunk_of("one", "Paris is big."), chunk_of("two", "Paris  is\nbig.")]
    assert len(whole_blocks("Is Paris big?", chunks, collection_of("Paris is big."))) == 1


def test_doubtful_chunks_fill_up_to_four_and_sure_ones_are_never_shown():
    chunks = [chunk_of(str(n), f"Text {n}.") for n in range(7)]
    verdicts = ["ambiguous", "correct", "incorrect", *["ambiguous"] * 4]
    grades = {str(n): graded(str(n), verdict) for n, verdict in enumerate(verdicts)}
    shown = evidence_chunks(chunks, grades, denied_too=False)
    assert [chunk["chunk_id"] for chunk in shown] == ["1", "0", "3", "4"]
    assert len(shown) == LEAST_CHUNKS


def test_what_a_model_denied_is_doubtful_where_it_was_asked_for_code_s_doubt():
    denied = graded("x", "incorrect", grader="model")
    assert is_doubtful(denied, denied_too=True)
    assert not is_doubtful(denied)
    assert not is_doubtful(graded("x", "incorrect"), denied_too=True)


def test_the_heading_that_a_title_ends_with_is_not_said_twice():
    chunk = {**chunk_of("access", "## By air\n\nNo. It uses the valley."), "heading": "By air"}
    (passage,) = whole_blocks("May it land?", [chunk], collection_of(chunk["text"]))
    assert passage_title(passage) == "Title of access > By air"
    assert passage_text(passage) == "No. It uses the valley."
